/**
 * Nodes were once lost by the base of CoreOS: one of containerd, since its kubelet is one of CRI-O, and one of CRI-O without crun, since
 * it replaces the file in which that node names its runtime. Comes last: the base stays.
 */
import { describe, expect, it } from 'vitest';
import { annotations } from '../../src/api/index.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { isPoolUpdated } from '../rollout/build-world.ts';
import { watchDrains } from './audit.ts';
import type { Cluster } from './cluster.ts';
import { eventually, installMillwright, poolOf, ROLLOUT_LIMIT_MS } from './millwright.ts';
import { findPrograms } from './needs.ts';
import { PLAIN_POOL, PLAIN_ROLE } from './plain-pool.ts';
import { story } from './story.ts';

const programs = await findPrograms();
const NODE = 'debian-0';
const OSTREE = ['ostree-0', 'ostree-1'] as const;

describe.skipIf('unavailable' in programs)('the base of CoreOS', () => {
  let cluster: Cluster;
  story.beforeAll(async ({ cluster: shared }) => {
    cluster = shared;
    await installMillwright(cluster);
    await pausePools(cluster);
    await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(PLAIN_POOL));
    await cluster.kubectl(['label', 'node', NODE, `${PLAIN_ROLE}=`]);
    await eventually(cluster, 'the node is in its pool', ROLLOUT_LIMIT_MS, async () => {
      const pool = await poolOf(cluster, 'plain');
      return pool !== undefined && pool.status?.updatedMachineCount === 1 && isPoolUpdated(pool);
    });
  });

  it('is refused by a node of containerd, which would be lost by the kubelet of another engine', async () => {
    const bootId = await cluster.machine(NODE).bootId();
    const drains = await watchDrains(cluster);
    await installMillwright(cluster, { flags: ['--base', 'coreos'] });
    await eventually(cluster, 'the node refuses', ROLLOUT_LIMIT_MS, async () => {
      const node = await cluster.kube.get(nodeKind, { name: NODE });
      const { [annotations.state]: state, [annotations.reason]: reason = '' } =
        node?.metadata.annotations ?? {};
      return state === 'Degraded' && /requires crio\.service, which neither/.test(reason);
    });
    expect(await drains()).not.toContain(`cordon ${NODE}`);
    const node = await cluster.kube.get(nodeKind, { name: NODE });
    expect(node?.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
    expect(await cluster.machine(NODE).bootId()).toBe(bootId);
  });

  it('is refused by a node of CRI-O without crun, whose default runtime it would be', async () => {
    const bootIds = await Promise.all(OSTREE.map((name) => cluster.machine(name).bootId()));
    const drains = await watchDrains(cluster);
    const patch = ['--type=merge', '--patch', JSON.stringify({ spec: { paused: false } })];
    await cluster.kubectl(['patch', 'machineconfigpool', 'worker', ...patch]);
    const refused = async () => {
      const nodes = await Promise.all(OSTREE.map((name) => cluster.kube.get(nodeKind, { name })));
      return nodes.filter((node) => {
        const { [annotations.state]: state, [annotations.reason]: reason = '' } =
          node?.metadata.annotations ?? {};
        return state === 'Degraded' && REFUSED_RUNTIME.test(reason);
      });
    };
    await eventually(cluster, 'a node refuses', ROLLOUT_LIMIT_MS, async () => (await refused()).length > 0);
    for (const node of await refused()) {
      expect(await drains()).not.toContain(`cordon ${node?.metadata.name}`);
      expect(node?.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
    }
    expect(await Promise.all(OSTREE.map((name) => cluster.machine(name).bootId()))).toEqual(bootIds);
  });
});

const REFUSED_RUNTIME =
  /00-default: no file sets default_runtime, so it is crun, which is in no folder of CRI-O's PATH, so cri-o would not run pods/;

/** Those that there are: the OSTree machines are no CoreOS either, and lack what its CRI-O needs. */
async function pausePools({ kubectl }: Cluster): Promise<void> {
  const pools = (await kubectl(['get', 'machineconfigpools', '-o', 'name'])).trim().split('\n');
  const patch = ['--type=merge', '--patch', JSON.stringify({ spec: { paused: true } })];
  for (const pool of pools) await kubectl(['patch', pool, ...patch]);
}
