/** Paused pools, custom pools, and nodes that move between pools. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Cluster, withKubectl } from './cluster.ts';
import { fileConfig } from './configs.ts';
import { packageRoot } from './program.ts';

const WORKERS = ['worker-0', 'worker-1', 'worker-2'];

withKubectl('pools', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start(['--speed', '200']);
  });
  afterAll(() => cluster.end());

  const pause = (pool: string, paused: boolean) =>
    cluster.kubectl([
      'patch',
      `mcp/${pool}`,
      '--type',
      'merge',
      '--patch',
      JSON.stringify({ spec: { paused } }),
    ]);
  const configsOf = async (...nodes: readonly string[]) => [
    ...new Set(await Promise.all(nodes.map((node) => cluster.annotation(node, 'currentConfig')))),
  ];
  const rendered = (pool: string) => cluster.field(`mcp/${pool}`, '{.spec.configuration.name}');
  const nodesWith = (path: string) => WORKERS.filter((node) => existsSync(cluster.onNode(node, path)));
  const label = (node: string, ...labels: readonly string[]) =>
    cluster.kubectl(['label', 'node', node, ...labels.map((one) => `node-role.kubernetes.io/${one}`)]);

  it('that are paused render changes but update no node until unpaused', async () => {
    const before = await rendered('worker');
    await pause('worker', true);
    await cluster.apply(fileConfig({ name: '50-one', role: 'worker', path: '/etc/one', text: '1\n' }));
    await cluster.wait('mcp/worker', '--for=condition=Updated=False');
    const after = await rendered('worker');
    expect(after).not.toBe(before);
    expect(await cluster.kubectl(['get', 'mc'])).toMatch(new RegExp(`^${after} `, 'm'));
    expect(await cluster.kubectl(['get', 'mcp', 'worker'])).toMatch(
      new RegExp(`^worker +${before} +False +False +False +3 +0 +0 +0 `, 'm'),
    );
    expect(await cluster.message('worker', 'Updating')).toBe(
      `Pool is paused; will not update to MachineConfig ${after}`,
    );
    expect(await configsOf(...WORKERS)).toEqual([before]);
    expect(nodesWith('etc/one')).toEqual([]);
    await pause('worker', false);
    await cluster.wait('mcp/worker', '--for=condition=Updated');
    expect(await configsOf(...WORKERS)).toEqual([after]);
    expect(nodesWith('etc/one')).toEqual(WORKERS);
  });

  it('that are custom inherit the configs of workers', async () => {
    await cluster.kubectl(['apply', '-f', join(packageRoot, 'examples/stories/gpu-pool/gpu-worker.yaml')]);
    await pause('gpu-worker', false);
    await cluster.apply(fileConfig({ name: '60-gpu', role: 'gpu-worker', path: '/etc/gpu', text: 'gpu\n' }));
    await cluster.wait(
      'mcp/gpu-worker',
      '--for=jsonpath={.spec.configuration.source[?(@.name=="60-gpu")].name}=60-gpu',
    );
    await label('worker-2', 'gpu-worker=');
    await label('worker-2', 'worker-');
    await cluster.wait('mcp/gpu-worker', '--for=jsonpath={.status.updatedMachineCount}=1');
    await cluster.wait('mcp/gpu-worker', '--for=condition=Updated');
    await cluster.wait('mcp/worker', '--for=condition=Updated');
    expect(await configsOf('worker-2')).toEqual([await rendered('gpu-worker')]);
    expect(await configsOf('worker-0', 'worker-1')).toEqual([await rendered('worker')]);
    expect(nodesWith('etc/gpu')).toEqual(['worker-2']);
    expect(nodesWith('etc/one')).toEqual(WORKERS);
    expect(await cluster.kubectl(['get', 'mcp'])).toMatch(
      /^gpu-worker .* 1 +1 +1 +0 .*\n(.*\n)*worker .* 2 +2 +2 +0 /m,
    );
    expect(await cluster.kubectl(['get', 'nodes', 'worker-2'])).toMatch(/^worker-2 +Ready +gpu-worker /m);
  });

  it('leave no files on a node that moves to another pool', async () => {
    await label('worker-2', 'worker=');
    await label('worker-2', 'gpu-worker-');
    await cluster.wait('mcp/gpu-worker', '--for=jsonpath={.status.machineCount}=0');
    await cluster.wait('mcp/worker', '--for=jsonpath={.status.updatedMachineCount}=3');
    await cluster.wait('mcp/worker', '--for=condition=Updated');
    expect(await configsOf(...WORKERS)).toEqual([await rendered('worker')]);
    expect(nodesWith('etc/gpu')).toEqual([]);
    await cluster.kubectl(['delete', 'mcp/gpu-worker', 'mc/60-gpu']);
  });

  it('that cannot be rendered report why, and continue once fixed', async () => {
    const before = await rendered('worker');
    const broken = { name: '70-broken', role: 'worker', path: '/etc/broken', text: 'mended\n' };
    await cluster.apply(fileConfig({ ...broken, ignitionVersion: '9.9.9' }));
    await cluster.wait('mcp/worker', '--for=condition=RenderDegraded');
    expect(await cluster.message('worker', 'RenderDegraded')).toMatch(
      /^Failed to render configuration for pool worker: .*unknown version.*\(in MachineConfig 70-broken\)$/,
    );
    expect(await cluster.kubectl(['get', 'mcp', 'worker'])).toMatch(
      new RegExp(`^worker +${before} +True +False +True +3 +3 +3 +0 `, 'm'),
    );
    expect(await rendered('worker')).toBe(before);
    await cluster.untilPrinted(/^worker: .*70-broken/m);
    await cluster.rolledOut('worker', () => cluster.apply(fileConfig(broken)));
    expect(await cluster.kubectl(['get', 'mcp', 'worker'])).toMatch(/ True +False +False +3 +3 +3 +0 /);
    expect(readFileSync(cluster.onNode('worker-1', 'etc/broken'), 'utf8')).toBe('mended\n');
  });
});
