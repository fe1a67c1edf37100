/**
 * Sends the next nodes of a pool to its target, and keeps their MachineConfigNodes in step with where they were sent.
 *
 * Who is sent is decided by `rollout`; here it is written, node by node. A write without an answer may have happened or
 * not. Until the server has said which, nobody else is sent: that could be one node too many.
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
import type { PoolBooks } from './pool-books.ts';

/** So many are written before the pool is looked at again. */
const RECORDS_PER_PASS = 20;

type Sending = {
  readonly books: PoolBooks;
  readonly tally: PoolTally;
  readonly choice: Choice;
  /** Called once, with the nodes that were sent, if any were. */
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

/** Asks the server what those nodes were told whose writes got no answer. To be called before anybody is chosen. */
export async function settleDoubts({ kube }: Context, books: PoolBooks): Promise<void> {
  for (const name of books.doubts()) {
    const node = await kube.get(nodeKind, { name });
    if (node === undefined) books.onGone(name);
    else books.onSent(node);
  }
}

export async function sendNodes(context: Context, { books, tally, choice, onSent }: Sending): Promise<void> {
  for (const relabelling of choice.relabelled) await relabel(context, relabelling);
  const sent: string[] = [];
  try {
    for (const { name } of choice.chosen) {
      await sendNode(context, { books, tally, name });
      sent.push(name);
    }
  } finally {
    if (sent.length > 0) onSent(sent);
  }
}

async function relabel({ kube }: Context, { node, labels, annotations: marks }: Relabelling): Promise<void> {
  const body = { metadata: { labels, annotations: marks } };
  await kube.patch(nodeKind, { name: node }, { type: 'merge', body });
}

type SentNode = { readonly books: PoolBooks; readonly tally: PoolTally; readonly name: string };

/** The MachineConfigNode first: whoever looks sees where the node is to go before it goes. */
async function sendNode(context: Context, { books, tally, name }: SentNode): Promise<void> {
  const { target } = tally;
  if (books.machineConfigNode(name) !== undefined) await recordTarget(context, { books, tally, name });
  const body = { metadata: { annotations: desiredAnnotations(target) } };
  try {
    books.onSent(await context.kube.patch(nodeKind, { name }, { type: 'merge', body }));
  } catch (error) {
    books.onDoubt(name);
    throw error;
  }
}

async function recordTarget({ kube, env }: Context, { books, tally, name }: SentNode): Promise<void> {
  const body = { spec: recordOfTarget(tally.target) };
  try {
    books.onRecorded(await kube.patch(machineConfigNodeKind, { name }, { type: 'merge', body }));
  } catch (error) {
    // One that was deleted just now, or that the server refuses, keeps no node back; `writeRecords` comes back to it.
    if (!(error instanceof KubeError) || error.kind !== 'stalled') throw error;
    env.log.warn('a MachineConfigNode could not be written', { node: name, error: error.message });
  }
}

/** Brings MachineConfigNodes up to date that say something else than their nodes. */
export async function writeRecords({ kube }: Context, books: PoolBooks, pool: string): Promise<Next> {
  const names = [...books.staleRecords(pool)].sort();
  for (const name of names.slice(0, RECORDS_PER_PASS)) {
    const node = books.node(name);
    const uid = books.machineConfigNode(name)?.metadata.uid;
    const spec = node === undefined ? undefined : recordOfNode(node);
    if (spec === undefined || uid === undefined) continue;
    const patch = { type: 'merge', body: { metadata: { uid }, spec } } as const;
    books.onRecorded(await kube.patch(machineConfigNodeKind, { name }, patch));
  }
  return names.length > RECORDS_PER_PASS ? after(0, 'more MachineConfigNodes are to be written') : done;
}
