/**
 * `millwright node add` with a real process: a machine fetches its config from the machine config server and becomes a node.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../contract/eventually.ts';
import { Cluster, withKubectl } from './cluster.ts';
import { packageRoot } from './program.ts';

const FLAGS = ['--speed', '50', '--control-plane', '1', '--workers', '1'];

const POOL = `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfigPool
metadata: {name: infra}
spec:
  machineConfigSelector:
    matchExpressions: [{key: machineconfiguration.openshift.io/role, operator: In, values: [worker, infra]}]
  nodeSelector: {matchLabels: {node-role.kubernetes.io/infra: ""}}`;

const ARGUMENTS = `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: {name: 50-infra, labels: {machineconfiguration.openshift.io/role: infra}}
spec: {kernelArguments: [audit=1]}`;

const FILE = `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: {name: 50-joined, labels: {machineconfiguration.openshift.io/role: worker}}
spec:
  config:
    ignition: {version: 3.5.0}
    storage: {files: [{path: /etc/joined.conf, contents: {source: "data:,a"}}]}`;

const BUDGETED = `apiVersion: v1
kind: Pod
metadata: {name: held, namespace: default, labels: {app: held}}
spec: {nodeName: worker-8, containers: [{name: a, image: example/a}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: held, namespace: default}
spec: {minAvailable: 1, selector: {matchLabels: {app: held}}}`;

withKubectl('a machine that is added to a running cluster', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start(FLAGS);
  });
  afterAll(() => cluster.end());

  const node = async (...args: readonly string[]) => {
    const program = join(packageRoot, 'dist/main.js');
    return await promisify(execFile)(process.execPath, [
      program,
      'node',
      ...args,
      '--data-dir',
      cluster.dataDir,
    ]);
  };
  const add = async (...flags: readonly string[]) => await node('add', ...flags);
  const names = async (kind: string) =>
    (await cluster.field(kind, '{.items[*].metadata.name}')).split(' ').toSorted();

  it('fetches its Ignition from the server, and ends as an Updated node of a pool that stays Updated', async () => {
    const updatedSince = () =>
      cluster.field('mcp/worker', '{.status.conditions[?(@.type=="Updated")].lastTransitionTime}');
    const before = await updatedSince();
    const { stdout, stderr } = await add();
    expect(await updatedSince()).toBe(before);
    expect(stdout).toBe('node/worker-1 added\n');
    expect(stderr).toMatch(/worker-1 fetches https:\/\/127\.0\.0\.1:\d+\/config\/worker\n/);
    expect(stderr).toMatch(/worker-1 Ignition wrote rendered-worker-/);
    expect(stderr).toMatch(/worker-1 is Updated: rendered-worker-/);
    expect(await cluster.annotation('worker-1', 'state')).toBe('Done');
    const kubeconfig = readFileSync(cluster.onNode('worker-1', 'etc/kubernetes/kubeconfig'), 'utf8');
    expect(kubeconfig).toContain('token:');
    const log = readFileSync(join(cluster.dataDir, 'nodes/worker-1/log'), 'utf8');
    expect(log).toContain('No bootstrap pivot required');
    expect(log).not.toContain('Failed to complete machine-config-daemon-firstboot');
    expect(existsSync(cluster.onNode('worker-1', 'etc/ignition-machine-config-encapsulated.json'))).toBe(
      false,
    );
  });

  it('is counted in the metrics of the server', async () => {
    const metrics = await cluster.kubectl(['get', '--raw', '/metrics']);
    expect(metrics).toMatch(
      /^millwright_server_requests_total\{.*container="machine-config-server".*code="200"\} [1-9]\d*$/m,
    );
  });

  it('joins a custom pool with kernel arguments by one reboot before it is a node, and gets the label of the pool', async () => {
    // The config first: a pool without a configuration is rendered at once.
    await cluster.apply(ARGUMENTS, POOL);
    await cluster.wait('mcp/infra', '--for=jsonpath={.spec.configuration.name}');
    const { stdout, stderr } = await add('--pool', 'infra', '--name', 'worker-7');
    expect(stdout).toBe('node/worker-7 added\n');
    expect(stderr).toContain('worker-7 reboots once, for OS image and kernel arguments\n');
    expect(await cluster.field('node/worker-7', '{.metadata.labels}')).toContain(
      'node-role.kubernetes.io/infra',
    );
    expect(await cluster.annotation('worker-7', 'currentConfig')).toMatch(/^rendered-infra-/);
    const log = readFileSync(join(cluster.dataDir, 'nodes/worker-7/log'), 'utf8');
    expect(log).toContain('No bootstrap pivot required');
    const reboots = await cluster.kubectl([
      'get',
      'events',
      '-A',
      '--field-selector=reason=Rebooted',
      '-o',
      'name',
    ]);
    expect(reboots).toBe('');
  });

  it.each([
    [['--pool', 'infar'], 'no such pool: infar; pools: infra, master, worker'],
    [['--name', 'worker-0'], 'node worker-0 exists already'],
    [['--name', 'my-node'], 'a machine of pool worker is named worker-NUMBER, not my-node'],
  ])('is refused in one line where it cannot be: %s', async (flags, message) => {
    await expect(add(...flags)).rejects.toMatchObject({ stderr: `millwright: ${message}\n` });
  });

  it('continues to join after the process was killed in the middle, and is there after the next starts', async () => {
    const added = add('--name', 'worker-8').catch((error: { readonly stderr: string }) => error);
    const begun = join(cluster.dataDir, 'nodes/worker-8/rootfs');
    await eventually('the machine is being installed', async () => (existsSync(begun) ? true : undefined));
    await cluster.up.end('SIGKILL');
    expect((await added).stderr).toContain('millwright: ');
    await cluster.startAgain(FLAGS);
    await cluster.wait('mcn/worker-8', '--for=create');
    await cluster.wait('mcn/worker-8', '--for=condition=Updated');
    expect(await cluster.annotation('worker-8', 'state')).toBe('Done');
    await cluster.up.end('SIGTERM');
    await cluster.startAgain(FLAGS);
    await cluster.wait('node', '--all', '--for=condition=Ready');
    const nodes = await cluster.kubectl(['get', 'nodes', '-o', 'name']);
    expect(nodes).toBe('node/master-0\nnode/worker-0\nnode/worker-1\nnode/worker-7\nnode/worker-8\n');
  });

  it('may come and others may go in the middle of a rollout: it ends, and nothing of them is left', async () => {
    await cluster.rendered('worker', () => cluster.apply(FILE));
    await cluster.wait('mcp/worker', '--for=condition=Updating');
    const [added, removed] = await Promise.all([add('--name', 'worker-9'), node('remove', 'worker-1')]);
    expect(added.stdout).toBe('node/worker-9 added\n');
    expect(removed.stdout).toBe('node/worker-1 removed\n');
    await cluster.wait('mcp', '--all', '--for=condition=Updated');
    const expected = ['master-0', 'worker-0', 'worker-7', 'worker-8', 'worker-9'];
    expect(await names('nodes')).toEqual(expected);
    expect(await names('machineconfignodes')).toEqual(expected);
    expect(await cluster.field('nodes', '{.items[*].spec.unschedulable}')).toBe('');
    expect(await cluster.field('mcp/worker', '{.status.machineCount}')).toBe('3');
    expect(readFileSync(cluster.onNode('worker-9', 'etc/joined.conf'), 'utf8')).toBe('a');
    expect(existsSync(join(cluster.dataDir, 'nodes/worker-1'))).toBe(false);
  });

  it('is removed only as far as disruption budgets allow, unless it is forced to', async () => {
    await cluster.apply(BUDGETED);
    await cluster.wait('pod/held', '--for=condition=Ready');
    const program = join(packageRoot, 'dist/main.js');
    const args = [program, 'node', 'remove', 'worker-8', '--data-dir', cluster.dataDir];
    const stopped = new AbortController();
    const removing = execFile(process.execPath, args, { signal: stopped.signal }, () => undefined);
    let shown = '';
    removing.stderr?.on('data', (text) => {
      shown += text;
    });
    await eventually('the budget refuses the eviction', async () =>
      shown.includes('default/held: Cannot evict pod') ? true : undefined,
    );
    expect(await cluster.field('node/worker-8', '{.spec.unschedulable}')).toBe('true');
    stopped.abort();
    await eventually('the node is schedulable again', async () =>
      (await cluster.field('node/worker-8', '{.spec.unschedulable}')) === '' ? true : undefined,
    );
    expect((await node('remove', 'worker-8', '--force')).stdout).toBe('node/worker-8 removed\n');
    expect(await names('nodes')).not.toContain('worker-8');
  });

  it.each([
    ['master-0', 'master-0 is the only machine of the control plane'],
    ['worker-99', 'no such machine: worker-99; machines: master-0, worker-0, worker-7, worker-9'],
  ])('is not removed where it cannot be: %s', async (name, message) => {
    await expect(node('remove', name)).rejects.toMatchObject({ stderr: `millwright: ${message}\n` });
  });
});
