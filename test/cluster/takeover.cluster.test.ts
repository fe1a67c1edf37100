/** How long the cluster is without an active controller when it is lost. The times are printed, and copied to README.md by hand. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Lease, lease as leaseKind, pod as podKind } from '../../src/kubernetes/types/index.ts';
import type { Cluster, NodeName } from './cluster.ts';
import { eventually, installMillwright, NAMESPACE, ROLLOUT_LIMIT_MS, untilUpdated } from './millwright.ts';
import { findPrograms } from './needs.ts';
import { story } from './story.ts';

const programs = await findPrograms();
const STEP_MS = 50;
const LEASE = { name: 'machine-config-controller', namespace: NAMESPACE };

describe.skipIf('unavailable' in programs)('the active controller', () => {
  let cluster: Cluster;
  story.beforeAll(async ({ cluster: shared }) => {
    cluster = shared;
    await installMillwright(cluster);
    await untilUpdated(cluster);
  });

  const readLease = async (): Promise<NonNullable<Lease['spec']>> =>
    (await cluster.kube.get(leaseKind, LEASE))?.spec ?? {};

  /** The pod that holds the Lease, and its node. */
  const active = async () => {
    const { holderIdentity = '' } = await readLease();
    const { items } = await cluster.kube.list(podKind, { namespace: NAMESPACE });
    const pod = items.find(({ metadata }) => holderIdentity?.startsWith(metadata.name));
    if (pod === undefined) throw new Error(`no pod is the holder ${holderIdentity}`);
    // Its keys are the names of the machines.
    return { pod: pod.metadata.name, node: pod.spec.nodeName as NodeName, holderIdentity };
  };

  /** Prints how long it takes from `lose` until another process has the Lease. Returns that process. */
  const untilFollowed = async (what: string, lose: () => Promise<unknown>): Promise<string> => {
    const { holderIdentity: before } = await readLease();
    const start = performance.now();
    await lose();
    const lost = performance.now();
    const limit = start + ROLLOUT_LIMIT_MS;
    while (performance.now() < limit) {
      const { holderIdentity } = await readLease();
      if (holderIdentity && holderIdentity !== before) {
        const seconds = (from: number) => ((performance.now() - from) / 1000).toFixed(1);
        process.stdout.write(
          `${what}: followed after ${seconds(start)} s (${seconds(lost)} s after the command ended)\n`,
        );
        return holderIdentity;
      }
      await sleep(STEP_MS);
    }
    throw new Error(`nobody followed when ${what}\n${await cluster.explain()}`);
  };

  const untilTwoAreReady = () =>
    eventually(cluster, 'two controllers are ready', ROLLOUT_LIMIT_MS, async () => {
      const deployment = ['get', 'deployment', LEASE.name, '-n', NAMESPACE];
      return (await cluster.kubectl([...deployment, '-o', 'jsonpath={.status.readyReplicas}'])) === '2';
    });

  it('is followed by its own restart when its process is killed', async () => {
    await untilTwoAreReady();
    const { pod, node } = await active();
    // Its first character in brackets, so that the pattern does not find itself.
    const kill = ['pkill', '--signal=KILL', '--full', 'main[.]js controller'];
    const next = await untilFollowed('process killed', () => cluster.machine(node).machine.run(kill));
    expect(next.startsWith(pod)).toBe(true);
  });

  it('is followed by another pod when its pod is deleted by force', async () => {
    await untilTwoAreReady();
    const { pod } = await active();
    const remove = ['delete', 'pod', pod, '-n', NAMESPACE, '--grace-period=0', '--force'];
    const next = await untilFollowed('pod deleted by force', () => cluster.kubectl(remove));
    expect(next.startsWith(pod)).toBe(false);
  });

  it('is followed by another pod when its node has lost its power', async () => {
    await untilTwoAreReady();
    const { pod, node } = await active();
    const { machine } = cluster.machine(node);
    const next = await untilFollowed('node without power', () => machine.cutPower());
    expect(next.startsWith(pod)).toBe(false);
    await machine.start();
    await untilTwoAreReady();
  });
});
