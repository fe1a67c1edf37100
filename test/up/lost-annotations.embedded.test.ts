/** Nodes without their annotations: the daemon restores them from the disk, and the pool continues. */
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

  it('without its desired config gets it again', async () => {
    const before = await isWhole();
    expect(before).toMatch(/^rendered-worker-/);
    await cluster.kubectl(['annotate', 'node', 'worker-0', `${PREFIX}/desiredConfig-`]);
    expect(await eventually('its annotations are back', isWhole)).toBe(before);
  });

  it('that was deleted registers again with its annotations, and its pool recovers', async () => {
    const uid = () => cluster.field('node/worker-0', '{.metadata.uid}');
    const before = await uid();
    await cluster.kubectl(['delete', 'node', 'worker-0']);
    await eventually('it is back', async () =>
      (await uid().catch(() => before)) === before ? undefined : true,
    );
    await eventually('its annotations are back', isWhole);
    await cluster.wait('mcp/worker', '--for=condition=Updated');
  });
});
