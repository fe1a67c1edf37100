/**
 * Sends the chosen nodes of a pool to its target, and updates their MachineConfigNodes accordingly.
 *
 * `rollout` chooses the nodes; here they are written, one by one. A write without an answer may have happened or not: until
 * it is confirmed (`PoolIndex.confirmWrites`) no further node is sent, which could be one too many.
 */
import { type MachineConfigPool, machineConfigNode as machineConfigNodeKind } from '../api/index.ts';
import { after, done, KubeError, type Next } from '../kubernetes/client/index.ts';
import { node as nodeKind } from '../kubernetes/types/index.ts';
import {
  type Choice,
  chooseTargets,
  desiredAnnotations,
  type PoolTally,
  type Relabelling,
  relabellingOf,
  type Selection,
} from '../rollout/index.ts';
import type { Context } from './context.ts';
import { recordOfNode, recordOfTarget } from './node-record.ts';
import type { NodeSources } from './node-sources.ts';
import type { PoolIndex } from './pool-index.ts';

/** The number of writes before the pool is reconciled again. */
const RECORDS_PER_PASS = 20;

type SendOptions = {
  readonly index: PoolIndex;
  readonly tally: PoolTally;
  readonly choice: Choice;
  /** Asked before every node: the pool may be paused, or its sources may change, while others are being sent. */
  readonly mayContinue: () => boolean;
  /** Called at most once, with all nodes that were sent. */
  readonly onSent: (names: readonly string[]) => void;
};

export function chooseNodes(sources: NodeSources, pool: MachineConfigPool, selection: Selection): Choice {
  const operatorNodes = [...sources.operatorPods.all()].flatMap(({ spec }) => spec.nodeName ?? []);
  return chooseTargets(selection, {
    poolName: pool.metadata.name,
    operatorNodes,
    relabelling: (node) =>
      relabellingOf(node, {
        machineConfig: (name) => sources.machineConfigs.get({ name }),
        pool: (name) => sources.pools.get({ name }),
      }),
  });
}

export async function sendNodes(
  context: Context,
  { index, tally, choice, mayContinue, onSent }: SendOptions,
): Promise<void> {
  for (const relabelling of choice.relabelled) await relabel(context, relabelling);
  const sent: string[] = [];
  try {
    for (const { name } of choice.chosen) {
      if (!mayContinue()) break;
      await sendNode(context, { index, tally, name });
      sent.push(name);
    }
  } finally {
    if (sent.length > 0) onSent(sent);
  }
}

async function relabel({ kube }: Context, { node, labels, annotations }: Relabelling): Promise<void> {
  const body = { metadata: { labels, annotations } };
  await kube.patch(nodeKind, { name: node }, { type: 'merge', body });
}

type NodeToSend = { readonly index: PoolIndex; readonly tally: PoolTally; readonly name: string };

/** The MachineConfigNode is written first, so that it never lags behind its node. */
async function sendNode(context: Context, { index, tally, name }: NodeToSend): Promise<void> {
  const { target } = tally;
  if (index.machineConfigNode(name) !== undefined) await recordTarget(context, { index, tally, name });
  const body = { metadata: { annotations: desiredAnnotations(target) } };
  try {
    index.recordNode(await context.kube.patch(nodeKind, { name }, { type: 'merge', body }));
  } catch (error) {
    index.markUnconfirmed(name);
    throw error;
  }
}

async function recordTarget({ kube, env }: Context, { index, tally, name }: NodeToSend): Promise<void> {
  const body = { spec: recordOfTarget(tally.target) };
  try {
    index.recordMachineConfigNode(await kube.patch(machineConfigNodeKind, { name }, { type: 'merge', body }));
  } catch (error) {
    // A MachineConfigNode that was just deleted or is refused must not block its node; `writeRecords` retries.
    if (!(error instanceof KubeError) || error.kind !== 'stalled') throw error;
    env.log.warn('MachineConfigNode not updated', { node: name, error: error.message });
  }
}

/** Updates MachineConfigNodes whose desired config differs from that of their nodes. */
export async function writeRecords({ kube }: Context, index: PoolIndex, pool: string): Promise<Next> {
  const names = [...index.staleRecords(pool)].sort();
  for (const name of names.slice(0, RECORDS_PER_PASS)) {
    const node = index.node(name);
    const uid = index.machineConfigNode(name)?.metadata.uid;
    const spec = node === undefined ? undefined : recordOfNode(node);
    if (spec === undefined || uid === undefined) continue;
    const patch = { type: 'merge', body: { metadata: { uid }, spec } } as const;
    index.recordMachineConfigNode(await kube.patch(machineConfigNodeKind, { name }, patch));
  }
  return names.length > RECORDS_PER_PASS ? after(0, 'more MachineConfigNodes to update') : done;
}
