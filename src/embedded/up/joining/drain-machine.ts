/**
 * Cordons a node that leaves, and evicts its pods within their disruption budgets, as `kubectl drain --force
 * --ignore-daemonsets --delete-emptydir-data` does.
 */
import type { Env } from '../../../base/env.ts';
import { Failure } from '../../../base/errors.ts';
import { counted } from '../../../base/text/index.ts';
import { sleep } from '../../../base/waiting.ts';
import { isNotFound } from '../../../kubernetes/client/index.ts';
import { daemonSet as daemonSetKind, node as nodeKind } from '../../../kubernetes/types/index.ts';
import { podsToMove } from '../../../rollout/index.ts';
import type { ClusterView } from '../cluster-view.ts';

type Drain = {
  readonly env: Pick<Env, 'clock'>;
  readonly view: Pick<ClusterView, 'kube' | 'nodes' | 'pods'>;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
};

const RETRY_MS = 1_000;

/** Where it is stopped, the node is schedulable again, unless it was cordoned before. */
export async function drainMachine(name: string, { env, view, say, signal }: Drain): Promise<void> {
  const wasCordoned = view.nodes.get({ name })?.spec.unschedulable === true;
  let last = '';
  for (;;) {
    // Each time: an update that ends meanwhile makes the node schedulable.
    await cordon(view, name, true);
    const { left, refusal } = await evictAll(view, name);
    if (left === 0) return;
    const line = `is drained: ${counted(left, 'pod')} left${refusal === undefined ? '' : `; ${refusal}`}`;
    if (line !== last) say(line);
    last = line;
    if (await sleep(env.clock, { delayMs: RETRY_MS, signal })) continue;
    if (!wasCordoned) await cordon(view, name, false);
    throw new Failure('cancelled', 'Stopped', `${name} is not removed: the drain was stopped`);
  }
}

async function cordon({ kube }: Drain['view'], name: string, unschedulable: boolean): Promise<void> {
  try {
    const spec = { unschedulable: unschedulable ? true : null };
    await kube.patch(nodeKind, { name }, { type: 'merge', body: { spec } });
  } catch (error) {
    if (!isNotFound(error, name)) throw error;
  }
}

async function evictAll({ kube, pods }: Drain['view'], name: string) {
  const onNode = [...pods.all()].filter(({ spec }) => spec.nodeName === name);
  const sets = await kube.list(daemonSetKind);
  const places = new Set(sets.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  const { staying, leaving } = podsToMove(onNode, (place) => places.has(`${place.namespace}/${place.name}`));
  let refusal: string | undefined;
  for (const pod of staying) {
    const eviction = await kube.evict(pod, { uid: pod.uid });
    if (eviction.kind === 'refused') refusal ??= `${pod.namespace}/${pod.name}: ${eviction.message}`;
  }
  return { left: staying.length + leaving.length, refusal };
}
