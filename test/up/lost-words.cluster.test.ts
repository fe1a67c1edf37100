/** Nodes whose words somebody took away: the daemon says again what the disk holds, and the pool goes on. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../contract/eventually.ts';
import { Cluster, withKubectl } from './cluster.ts';

const PREFIX = 'machineconfiguration.openshift.io';

withKubectl('a Node', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start(['--control-plane', '1', '--workers', '1', '--speed', '50']);
  });
  afterAll(() => cluster.end());

  const isWhole = async () => {
    const [current, desired, state] = await Promise.all(
      ['currentConfig', 'desiredConfig', 'state'].map((name) => cluster.annotation('worker-0', name)),
    );
    return current !== '' && current === desired && state === 'Done' ? current : undefined;
  };

  it('that has lost what is wanted of it is told so again', async () => {
    const before = await isWhole();
    expect(before).toMatch(/^rendered-worker-/);
    await cluster.kubectl(['annotate', 'node', 'worker-0', `${PREFIX}/desiredConfig-`]);
    expect(await eventually('its words are back', isWhole)).toBe(before);
  });

  it('that was deleted comes back with its words, and its pool with it', async () => {
    const uid = () => cluster.field('node/worker-0', '{.metadata.uid}');
    const before = await uid();
    await cluster.kubectl(['delete', 'node', 'worker-0']);
    await eventually('it is back', async () =>
      (await uid().catch(() => before)) === before ? undefined : true,
    );
    await eventually('its words are back', isWhole);
    await cluster.wait('mcp/worker', '--for=condition=Updated');
  });
});
