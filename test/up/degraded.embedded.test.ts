/** Nodes that fail to apply a config or have config drift: what is reported, and how they recover. */
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Cluster, withKubectl } from './cluster.ts';
import { fileConfig } from './configs.ts';

const WORKERS = ['worker-0', 'worker-1', 'worker-2'];

withKubectl('a node', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start(['--speed', '200']);
  });
  afterAll(() => cluster.end());

  const BACKUPS = 'etc/blocked';
  const ERROR = 'mkdir /etc/blocked: not a directory';
  const REASON = `${ERROR} (/etc/blocked/inner needs a folder there, and /etc/blocked is none: remove it on the node, or change the path in the config)`;
  const failToWrite = async () => {
    // On all of them: the order of nodes is not fixed.
    for (const node of WORKERS) writeFileSync(cluster.onNode(node, BACKUPS), 'a file, not a folder\n');
    await cluster.apply(
      fileConfig({ name: '80-inner', role: 'worker', path: '/etc/blocked/inner', text: 'inner\n' }),
    );
    await cluster.wait('mcp/worker', '--for=condition=Degraded');
  };
  const clear = () => {
    for (const node of WORKERS) rmSync(cluster.onNode(node, BACKUPS), { recursive: true, force: true });
  };
  const nodesWith = (path: string) => WORKERS.filter((node) => existsSync(cluster.onNode(node, path)));
  const states = async () => await Promise.all(WORKERS.map((node) => cluster.annotation(node, 'state')));

  it('that cannot write a file is degraded, and the rollout stops', async () => {
    await failToWrite();
    const found = await states();
    expect(found.toSorted()).toEqual(['Degraded', 'Done', 'Done']);
    const node = WORKERS[found.indexOf('Degraded')] ?? '';
    expect(await cluster.annotation(node, 'reason')).toBe(REASON);
    expect(await cluster.message('worker', 'NodeDegraded')).toContain(
      `Node ${node} is reporting: "${REASON}"`,
    );
    expect(await cluster.kubectl(['get', 'mcp', 'worker'])).toMatch(/ False +True +True +3 +0 +0 +1 /);
    await cluster.untilPrinted(new RegExp(`^worker: ${node} is degraded: ${ERROR}`, 'm'));
  });

  it('that is repaired manually continues by itself', async () => {
    clear();
    await cluster.wait('mcp/worker', '--for=condition=Updated');
    await cluster.wait('mcp/worker', '--for=condition=Degraded=False');
    expect(nodesWith('etc/blocked/inner')).toEqual(WORKERS);
    expect(await states()).toEqual(['Done', 'Done', 'Done']);
    await cluster.rolledOut('worker', () => cluster.kubectl(['delete', 'mc/80-inner']));
    expect(nodesWith('etc/blocked/inner')).toEqual([]);
  });

  it('that fails to apply a config recovers once the config is removed', async () => {
    clear();
    await failToWrite();
    await cluster.kubectl(['delete', 'mc/80-inner']);
    await cluster.wait('mcp/worker', '--for=condition=Updated');
    await cluster.wait('mcp/worker', '--for=condition=Degraded=False');
    for (const node of WORKERS) {
      expect(readFileSync(cluster.onNode(node, BACKUPS), 'utf8')).toBe('a file, not a folder\n');
    }
    expect(await cluster.kubectl(['get', 'nodes'])).not.toContain('SchedulingDisabled');
    clear();
  });

  const PATH = 'etc/kept';

  it('with config drift reports the file', async () => {
    const kept = fileConfig({ name: '81-kept', role: 'worker', path: '/etc/kept', text: 'kept\n' });
    await cluster.rolledOut('worker', () => cluster.apply(kept));
    appendFileSync(cluster.onNode('worker-0', PATH), 'by hand\n');
    await cluster.wait('mcp/worker', '--for=condition=Degraded');
    expect(await cluster.annotation('worker-0', 'reason')).toMatch(
      /content mismatch for file "\/etc\/kept"$/,
    );
  });

  it('recovers once the drift is reverted', async () => {
    writeFileSync(cluster.onNode('worker-0', PATH), 'kept\n');
    await cluster.wait('mcp/worker', '--for=condition=Degraded=False');
    await cluster.wait('mcp/worker', '--for=condition=Updated');
    expect(await cluster.annotation('worker-0', 'state')).toBe('Done');
  });

  it('with the force file applies its config again', async () => {
    appendFileSync(cluster.onNode('worker-0', PATH), 'by hand again\n');
    await cluster.wait('mcp/worker', '--for=condition=Degraded');
    writeFileSync(cluster.onNode('worker-0', 'run/machine-config-daemon-force'), '');
    await cluster.wait('mcp/worker', '--for=condition=Degraded=False');
    await cluster.wait('mcp/worker', '--for=condition=Updated');
    expect(readFileSync(cluster.onNode('worker-0', PATH), 'utf8')).toBe('kept\n');
    expect(existsSync(cluster.onNode('worker-0', 'run/machine-config-daemon-force'))).toBe(false);
  });
});
