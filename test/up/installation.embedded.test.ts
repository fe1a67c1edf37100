/** What `install` prints is accepted by the embedded cluster; and `uninstall` in the middle of a rollout, with real daemons. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { eventually } from '../contract/eventually.ts';
import { Cluster, withKubectl } from './cluster.ts';
import { fileConfig } from './configs.ts';
import { packageRoot } from './program.ts';

const FLAGS = ['--speed', '20', '--control-plane', '1', '--workers', '3'];

withKubectl('an installation on the embedded cluster', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start(FLAGS);
  });
  afterAll(() => cluster.end());

  const cordoned = async () => {
    const path = 'jsonpath={.items[?(@.spec.unschedulable==true)].metadata.name}';
    const names = await cluster.kubectl(['get', 'nodes', '-o', path]);
    return names === '' ? [] : names.split(' ').sort();
  };
  const budget = (minAvailable: number) =>
    cluster.kubectl([
      '-n',
      'web',
      'patch',
      'pdb/web',
      '--type=merge',
      '-p',
      JSON.stringify({ spec: { minAvailable } }),
    ]);
  const uninstall = async (...args: readonly string[]) => {
    const run = await runCli(['uninstall', '--kubeconfig', cluster.up.kubeconfig, ...args]);
    expect([run.exitCode, run.stderr]).toEqual([0, '']);
    return run.stdout;
  };

  it('is accepted by a dry run', async () => {
    // Its pods have no network between them, and it has no NetworkPolicies.
    const values = join(cluster.dataDir, 'values.yaml');
    await writeFile(values, 'networkPolicies: {enabled: false}\nservingCertificates: {approve: true}\n');
    const { stdout: printed } = await runCli(['install', '--values', values]);
    const lines = (await cluster.kubectl(['apply', '--dry-run=server', '-f', '-'], printed))
      .trim()
      .split('\n');
    expect(lines).toHaveLength(printed.split(/^---$/m).length - 1);
    expect(lines.filter((line) => !line.endsWith('(server dry run)'))).toEqual([]);
  });

  it('is removed while a drain is blocked, and the node is schedulable again, with the cordon of a person kept', async () => {
    await cluster.kubectl(['apply', '-f', join(packageRoot, 'examples/web')]);
    await cluster.kubectl(['-n', 'web', 'rollout', 'status', 'deployment/web']);
    await budget(3);
    await cluster.apply(fileConfig({ name: '50-motd', role: 'worker', path: '/etc/motd', text: 'hello\n' }));
    const [updating = ''] = await eventually('a worker is cordoned', async () => {
      const names = await cordoned();
      return names.length > 0 ? names : undefined;
    });
    const other = updating === 'worker-0' ? 'worker-1' : 'worker-0';
    await cluster.kubectl(['cordon', other]);
    expect(await uninstall('--dry-run')).toContain(`node ${updating}: would uncordon it`);
    expect(await cordoned()).toEqual([updating, other].sort());
    const printed = await uninstall('--yes');
    expect(printed).toContain(`node ${updating}: uncordoned`);
    expect(printed).toContain(`node ${updating} is in the middle of its update to rendered-worker-`);
    expect(await cordoned()).toEqual([other]);
    expect(existsSync(cluster.onNode(updating, 'etc/motd'))).toBe(false);
    const rest = [
      'get',
      'pods,deployments,daemonsets',
      '-n',
      'openshift-machine-config-operator',
      '-o',
      'name',
    ];
    expect(await cluster.kubectl(rest)).toBe('');
    expect(await uninstall('--yes')).toMatch(/^cluster: .*\nMillwright is not installed here\nremains:\n/);
    await cluster.kubectl(['uncordon', other]);
  });

  it('completes the update when it is installed again', async () => {
    await cluster.up.end('SIGTERM');
    // Each start installs what is missing.
    await cluster.startAgain(FLAGS);
    await budget(1);
    await cluster.wait('mcp/worker', '--for=condition=Updated');
    for (const node of ['worker-0', 'worker-1', 'worker-2']) {
      expect(existsSync(cluster.onNode(node, 'etc/motd'))).toBe(true);
    }
    expect(await cordoned()).toEqual([]);
  });
});
