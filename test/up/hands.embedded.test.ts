/** `millwright retry`, `pause`, `resume` and `uncordon` on a cluster with real daemons. */
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CliRun, runCli } from '../cli/run-cli.ts';
import { eventually } from '../contract/eventually.ts';
import { Cluster, withKubectl } from './cluster.ts';
import { fileConfig } from './configs.ts';

const WORKERS = ['worker-0', 'worker-1', 'worker-2'];
/** A node that keeps failing tries again every twelve seconds: that is long enough for a person to come first. */
const SPEED = '5';
const LONG_WAIT = /reconcile failed .* retryMs=12000$/m;

withKubectl('an administrator', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start(['--speed', SPEED, '--control-plane', '1']);
  });
  afterAll(() => cluster.end());

  const millwright = (line: string): Promise<CliRun> =>
    runCli([...line.split(' '), '--kubeconfig', cluster.up.kubeconfig]);
  const states = async () => await Promise.all(WORKERS.map((node) => cluster.annotation(node, 'state')));
  const ownAnnotation = (node: string, name: string) =>
    cluster.field(`node/${node}`, `{.metadata.annotations.millwright\\.dev/${name}}`);
  const logOf = (node: string) => readFileSync(join(cluster.dataDir, 'nodes', node, 'log'), 'utf8');
  const current = async () =>
    await Promise.all(WORKERS.map((node) => cluster.annotation(node, 'currentConfig')));

  it('has mended a node that failed, and lets it try again', async () => {
    for (const node of WORKERS) writeFileSync(cluster.onNode(node, 'etc/blocked'), 'a file, not a folder\n');
    const inner = { name: '80-inner', role: 'worker', path: '/etc/blocked/inner', text: 'inner\n' };
    await cluster.apply(fileConfig(inner));
    await cluster.wait('mcp/worker', '--for=condition=Degraded');
    const failing = WORKERS[(await states()).indexOf('Degraded')] ?? '';
    const healthy = WORKERS.find((node) => node !== failing) ?? '';
    expect(await millwright(`retry ${healthy}`)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`node ${healthy} does not fail`),
    });
    expect(await millwright(`retry ${healthy} --force`)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`may have 1 node out of service (maxUnavailable), and ${failing} is`),
    });
    await eventually(
      'it has just failed, and waits',
      async () => LONG_WAIT.test(logOf(failing)) || undefined,
    );
    for (const node of WORKERS) rmSync(cluster.onNode(node, 'etc/blocked'), { force: true });
    const asked = await millwright(`retry ${failing}`);
    expect(asked.stdout).toContain('mkdir /etc/blocked: not a directory');
    expect(asked).toMatchObject({ exitCode: 0, stderr: '' });
    await cluster.wait('mcp/worker', '--for=condition=Updated');
    await cluster.wait('mcp/worker', '--for=condition=Degraded=False');
    expect(await ownAnnotation(failing, 'retried')).toBe(await ownAnnotation(failing, 'retry'));
    expect(logOf(failing).match(/An administrator asks this node to try again at once \(/g)).toHaveLength(1);
    expect(WORKERS.filter((node) => existsSync(cluster.onNode(node, 'etc/blocked/inner')))).toEqual(WORKERS);
  });

  it('has a node with a changed file apply its whole config again', async () => {
    const path = 'etc/blocked/inner';
    appendFileSync(cluster.onNode('worker-0', path), 'by hand\n');
    await cluster.wait('mcp/worker', '--for=condition=Degraded');
    expect((await millwright('retry worker-0 --dry-run')).stdout).toContain(
      'what was changed by hand is not overwritten: millwright retry worker-0 --force does that',
    );
    const bootId = () => cluster.field('node/worker-0', '{.status.nodeInfo.bootID}');
    const before = await bootId();
    expect(await millwright('retry worker-0 --force')).toMatchObject({ exitCode: 0, stderr: '' });
    await cluster.wait('mcp/worker', '--for=condition=Degraded=False');
    await cluster.wait('mcp/worker', '--for=condition=Updated');
    expect(readFileSync(cluster.onNode('worker-0', path), 'utf8')).toBe('inner\n');
    expect(await bootId()).not.toBe(before);
    expect(await ownAnnotation('worker-0', 'retried')).toMatch(/^force-/);
  });

  it('pauses a pool in the middle of a rollout, and resumes it', async () => {
    const motd = { name: '81-motd', role: 'worker', path: '/etc/motd', text: 'paused\n' };
    await cluster.rendered('worker', () => cluster.apply(fileConfig(motd)));
    const target = await cluster.field('mcp/worker', '{.spec.configuration.name}');
    await eventually('a node is being updated', async () =>
      (await states()).includes('Working') ? true : undefined,
    );
    const paused = await millwright('pause worker');
    expect(paused).toMatchObject({ exitCode: 0, stderr: '' });
    expect(paused.stdout).toMatch(/\n {2}worker-\d finishes its update: /);
    expect(paused.stdout).toMatch(/\nmachineconfigpool\/worker paused\n$/);
    await eventually('the node has finished', async () =>
      (await states()).every((state) => state === 'Done') && (await current()).includes(target)
        ? true
        : undefined,
    );
    const updated = (await current()).filter((config) => config === target).length;
    // One at a time: the second may have been sent just before.
    expect(updated).toBeLessThan(WORKERS.length);
    const left = WORKERS.length - updated;
    const resumed = await millwright('resume worker');
    expect(resumed.stdout).toMatch(
      new RegExp(
        `^pool worker: ${left} nodes? of 3 goe?s? to ${target}: .*\\n {2}one at a time; each is drained and rebooted\\n`,
      ),
    );
    await cluster.wait('mcp/worker', '--for=condition=Updated');
    expect(await current()).toEqual([target, target, target]);
  });

  it('keeps a cordon of a person', async () => {
    await cluster.kubectl(['cordon', 'worker-1']);
    expect(await millwright('uncordon worker-1')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        "millwright: the cordon of node worker-1 is not Millwright's, which leaves it as it is: kubectl uncordon worker-1\n",
    });
    expect(await cluster.field('node/worker-1', '{.spec.unschedulable}')).toBe('true');
    await cluster.kubectl(['uncordon', 'worker-1']);
    expect((await millwright('uncordon worker-1')).stdout).toBe('node worker-1 is not cordoned\n');
  });
});
