/** Nodes that cannot do what they are told, or that somebody has changed by hand: what is said, and all ways to mend it. */
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

  const inTheWay = { name: '80-inner', role: 'worker', path: '/etc/blocked/inner', text: 'inner\n' };
  const REASON = 'mkdir /etc/blocked: not a directory';
  /** On the second of three, so that there is one before it and one after it. */
  const stumble = async () => {
    writeFileSync(cluster.onNode('worker-1', 'etc/blocked'), 'a file, where a folder should be\n');
    await cluster.apply(fileConfig(inTheWay));
    await cluster.wait('mcp/worker', '--for=condition=Degraded');
  };
  const isEverywhere = (path: string) => WORKERS.filter((node) => existsSync(cluster.onNode(node, path)));

  it('that cannot write a file says so, and the rollout stops there', async () => {
    await stumble();
    expect(await cluster.annotation('worker-1', 'state')).toBe('Degraded');
    expect(await cluster.annotation('worker-1', 'reason')).toBe(REASON);
    expect(await cluster.message('worker', 'NodeDegraded')).toContain(
      `Node worker-1 is reporting: "${REASON}"`,
    );
    expect(await cluster.kubectl(['get', 'mcp', 'worker'])).toMatch(/ False +True +True +3 +1 +1 +1 /);
    expect(isEverywhere('etc/blocked/inner')).toEqual(['worker-0']);
    expect(await cluster.annotation('worker-2', 'state')).toBe('Done');
    await cluster.told(new RegExp(`^worker: worker-1 is degraded: ${REASON}$`, 'm'));
  });

  it('that is mended by hand goes on by itself', async () => {
    rmSync(cluster.onNode('worker-1', 'etc/blocked'));
    await cluster.wait('mcp/worker', '--for=condition=Updated');
    await cluster.wait('mcp/worker', '--for=condition=Degraded=False');
    expect(isEverywhere('etc/blocked/inner')).toEqual(WORKERS);
    expect(await cluster.annotation('worker-1', 'reason')).toBe('');
    await cluster.kubectl(['delete', 'mc/80-inner']);
    await cluster.rolledOut('worker');
    expect(isEverywhere('etc/blocked/inner')).toEqual([]);
  });

  it('that stumbles over a config is well again once the config is removed', async () => {
    rmSync(cluster.onNode('worker-1', 'etc/blocked'), { recursive: true, force: true });
    await stumble();
    await cluster.kubectl(['delete', 'mc/80-inner']);
    await cluster.wait('mcp/worker', '--for=condition=Updated');
    await cluster.wait('mcp/worker', '--for=condition=Degraded=False');
    expect(isEverywhere('etc/blocked/inner')).toEqual([]);
    expect(readFileSync(cluster.onNode('worker-1', 'etc/blocked'), 'utf8')).toContain('a file');
    expect(await cluster.kubectl(['get', 'nodes'])).not.toContain('SchedulingDisabled');
    rmSync(cluster.onNode('worker-1', 'etc/blocked'));
  });

  const PATH = 'etc/kept';
  const MISMATCH = 'content mismatch for file "/etc/kept"';

  it('that somebody changes says which file', async () => {
    await cluster.apply(fileConfig({ name: '81-kept', role: 'worker', path: '/etc/kept', text: 'kept\n' }));
    await cluster.rolledOut('worker');
    appendFileSync(cluster.onNode('worker-0', PATH), 'by hand\n');
    await cluster.wait('mcp/worker', '--for=condition=Degraded');
    expect(await cluster.annotation('worker-0', 'reason')).toMatch(
      new RegExp(`^unexpected on-disk state .*${MISMATCH}$`),
    );
  });

  it('that is changed back is well again', async () => {
    writeFileSync(cluster.onNode('worker-0', PATH), 'kept\n');
    await cluster.wait('mcp/worker', '--for=condition=Degraded=False');
    await cluster.wait('mcp/worker', '--for=condition=Updated');
    expect(await cluster.annotation('worker-0', 'state')).toBe('Done');
  });

  it('that finds the force file takes its config anew', async () => {
    appendFileSync(cluster.onNode('worker-0', PATH), 'by hand again\n');
    await cluster.wait('mcp/worker', '--for=condition=Degraded');
    writeFileSync(cluster.onNode('worker-0', 'run/machine-config-daemon-force'), '');
    await cluster.wait('mcp/worker', '--for=condition=Degraded=False');
    await cluster.wait('mcp/worker', '--for=condition=Updated');
    expect(readFileSync(cluster.onNode('worker-0', PATH), 'utf8')).toBe('kept\n');
    expect(existsSync(cluster.onNode('worker-0', 'run/machine-config-daemon-force'))).toBe(false);
  });
});
