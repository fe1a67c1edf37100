/**
 * Sends the chosen nodes of a pool to its target, and updates their MachineConfigNodes accordingly.
 *
 * `rollout` chooses the nodes; here they are written, several at a time. All of them fit into the capacity together, so their
 * order does not matter. A write without an answer may have happened or not: until it is confirmed
 * (`PoolIndex.confirmWrites`) no further node is sent, which could be one too many.
 */
import { type MachineConfigPool, machineConfigNode as machineConfigNodeKind } from '../api/index.ts';
import { forEachAtOnce } from '../base/at-once.ts';
import { after, done, isConflict, KubeError, type Next } from '../kubernetes/client/index.ts';
import { type Node, node as nodeKind } from '../kubernetes/types/index.ts';
import {
  type Choice,
  chooseTargets,
  desiredAnnotations,
  type PoolTally,
  type Relabelling,
  relabellingOf,
  type Selection,
  taintsWhenSent,
} from '../rollout/index.ts';
import type { Context } from './context.ts';
import { recordOfNode, recordOfTarget } from './node-record.ts';
import type { NodeSources } from './node-sources.ts';
import type { PoolIndex } from './pool-index.ts';

/**
 * A request takes some 20 ms where the server waits for its disk: with 25 of them at once 100 nodes are sent in well under a
 * second, and the server, which serves hundreds at once, has room for others.
 */
const SENDS_AT_ONCE = 25;
/** The number of writes before the pool is reconciled again; all of them at once. */
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
  await forEachAtOnce(choice.relabelled, SENDS_AT_ONCE, (one) => relabel(context, one));
  const names = choice.chosen.map(({ name }) => name);
  const sent = new Set<string>();
  try {
    await forEachAtOnce(names, SENDS_AT_ONCE, async (name) => {
      if (!mayContinue()) return;
      await sendNode(context, { index, tally, name });
      sent.add(name);
    });
  } finally {
    if (sent.size > 0) onSent(names.filter((name) => sent.has(name)));
  }
}

async function relabel({ kube }: Context, { node, labels, annotations }: Relabelling): Promise<void> {
  const body = { metadata: { labels, annotations } };
  await kube.patch(nodeKind, { name: node }, { type: 'merge', body });
}

type NodeToSend = { readonly index: PoolIndex; readonly tally: PoolTally; readonly name: string };

/** The MachineConfigNode is written first, so that it never lags behind its node. */
async function sendNode(context: Context, { index, tally, name }: NodeToSend): Promise<void> {
  if (index.machineConfigNode(name) !== undefined) await recordTarget(context, { index, tally, name });
  const annotations = desiredAnnotations(tally.target);
  try {
    const node = index.node(name);
    const written = node && (await sendUntainted(context, node, annotations));
    index.recordNode(written ?? (await patchNode(context, name, { metadata: { annotations } })));
  } catch (error) {
    index.markUnconfirmed(name);
    throw error;
  }
}

/** With one write less: `writeTaints` has nothing left to do. Undefined where that needs a write of its own. */
async function sendUntainted(
  context: Context,
  node: Node,
  annotations: ReturnType<typeof desiredAnnotations>,
): Promise<Node | undefined> {
  const taints = taintsWhenSent(node);
  if (taints === undefined) return undefined;
  const { name, resourceVersion } = node.metadata;
  // The list is replaced as a whole; the resourceVersion protects taints of others.
  const spec = { taints: taints.length === 0 ? null : taints };
  try {
    return await patchNode(context, name, { metadata: { resourceVersion, annotations }, spec });
  } catch (error) {
    if (isConflict(error)) return undefined;
    throw error;
  }
}

async function patchNode({ kube }: Context, name: string, body: object): Promise<Node> {
  return await kube.patch(nodeKind, { name }, { type: 'merge', body });
}

async function recordTarget(
  { kube, env, settings }: Context,
  { index, tally, name }: NodeToSend,
): Promise<void> {
  const body = { spec: recordOfTarget(tally.target, settings) };
  try {
    index.recordMachineConfigNode(await kube.patch(machineConfigNodeKind, { name }, { type: 'merge', body }));
  } catch (error) {
    // A MachineConfigNode that was just deleted or is refused must not block its node; `writeRecords` retries.
    if (!(error instanceof KubeError) || error.kind !== 'stalled') throw error;
    env.log.warn('MachineConfigNode not updated', { node: name, error: error.message });
  }
}

/** Updates MachineConfigNodes whose desired config differs from that of their nodes. */
export async function writeRecords(
  { kube, settings }: Context,
  index: PoolIndex,
  pool: string,
): Promise<Next> {
  const names = [...index.staleRecords(pool)].sort();
  await forEachAtOnce(names.slice(0, RECORDS_PER_PASS), RECORDS_PER_PASS, async (name) => {
    const node = index.node(name);
    const uid = index.machineConfigNode(name)?.metadata.uid;
    const spec = node === undefined ? undefined : recordOfNode(node, settings);
    if (spec === undefined || uid === undefined) return;
    const patch = { type: 'merge', body: { metadata: { uid }, spec } } as const;
    index.recordMachineConfigNode(await kube.patch(machineConfigNodeKind, { name }, patch));
  });
  return names.length > RECORDS_PER_PASS ? after(0, 'more MachineConfigNodes to update') : done;
}
