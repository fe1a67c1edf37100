/** Steps that many stories share: queries of a cluster, and actions of administrators. */
import { annotations, machineConfigPool } from '../../src/api/index.ts';
import type { Env } from '../../src/base/env.ts';
import {
  event as eventKind,
  type Node,
  node as nodeKind,
  podDisruptionBudget as podDisruptionBudgetKind,
  serviceAccount as serviceAccountKind,
} from '../../src/kubernetes/types/index.ts';
import { type World as AnyWorld, aMachineConfig } from './build-world.ts';
import type { Cut } from './cut-transport.ts';
import type { Running } from './world-process.ts';

/** In whatever time. */
type World = AnyWorld<Env>;

export const MINUTE = 60_000;
export const HOUR = 3_600_000;

/** The pools of a fresh cluster have their first configuration. */
export async function firstConfig(world: World): Promise<void> {
  await world.untilUpdated(['master', 'worker'], 2 * MINUTE);
}

export async function target(world: World, pool: string): Promise<string> {
  return (await world.pool(pool)).spec.configuration?.name ?? '';
}

/** Applies a MachineConfig and waits until it is in the target of the pool. */
export async function newTarget(world: World, pool: string, text: string): Promise<string> {
  const before = await target(world, pool);
  await world.apply(aMachineConfig(`50-${pool}-motd`, pool, text));
  await world.until('a new target', async () => (await target(world, pool)) !== before, 20_000);
  return target(world, pool);
}

export async function patchPool(world: World, name: string, spec: object): Promise<void> {
  await world.kube.patch(machineConfigPool, { name }, { type: 'merge', body: { spec } });
}

export async function condition(
  world: World,
  pool: string,
  type: string,
): Promise<readonly [string | undefined, string | undefined]> {
  const found = (await world.pool(pool)).status?.conditions?.find((one) => one.type === type);
  return [found?.status, found?.message];
}

export async function cordoned(world: World): Promise<readonly string[]> {
  return (await world.nodes())
    .filter(({ spec }) => spec.unschedulable === true)
    .map(({ metadata }) => metadata.name);
}

/** The events about an object. */
export async function eventsAbout(
  world: World,
  kind: string,
  name: string,
): Promise<readonly ReportedEvent[]> {
  const { items } = await world.kube.list(eventKind);
  return items
    .filter(({ involvedObject }) => involvedObject?.kind === kind && involvedObject.name === name)
    .map(({ type = '', reason = '', message = '', count = 0 }) => ({ type, reason, message, count }));
}

export type ReportedEvent = {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
};

/** An administrator with kubectl. `true` cordons. */
export async function cordonAsAdmin(world: World, name: string, isCordoned: boolean): Promise<void> {
  const body = { spec: { unschedulable: isCordoned ? true : null } };
  await world.kube.patch(nodeKind, { name }, { type: 'merge', body }, { fieldManager: 'kubectl-cordon' });
}

/** Pods of stories run in this namespace. */
export const NAMESPACE = 'default';
export const BUDGET = 'web';
/** What the budget guards. */
export const GUARDED = { labels: { app: 'web' } };

/** Without it no pod can be made; a namespace controller would make it. */
export async function createAccount({ kube }: World, namespace = NAMESPACE): Promise<void> {
  const metadata = { name: 'default', namespace };
  await kube.create(serviceAccountKind, { apiVersion: 'v1', kind: serviceAccountKind.kind, metadata });
}

/** A budget as the disruption controller would keep it. */
export async function setBudget({ kube }: World, allowed: number): Promise<void> {
  const place = { name: BUDGET, namespace: NAMESPACE };
  const known =
    (await kube.get(podDisruptionBudgetKind, place)) ??
    (await kube.create(podDisruptionBudgetKind, {
      ...{ apiVersion: 'policy/v1', kind: podDisruptionBudgetKind.kind, metadata: place },
      spec: { minAvailable: 1, selector: { matchLabels: GUARDED.labels } },
    }));
  const status = {
    ...{ disruptionsAllowed: allowed, currentHealthy: 1 + allowed, desiredHealthy: 1, expectedPods: 2 },
    observedGeneration: known.metadata.generation,
  };
  const patch = { type: 'merge', body: { status } } as const;
  await kube.patch(podDisruptionBudgetKind, place, patch, { subresource: 'status' });
}

/** The node has the config, and its daemon is content. */
export async function isDone(world: World, node: string, config: string): Promise<boolean> {
  const { annotations: values } = (await world.node(node)).metadata;
  return values?.[annotations.currentConfig] === config && values[annotations.state] === 'Done';
}

/** The record of the drain, as it stands on the node. */
export function drainOf({ metadata }: Node): { readonly [key: string]: unknown } | undefined {
  const text = metadata.annotations?.[annotations.drain];
  // We wrote it ourselves; a text that is no JSON fails the story.
  return text === undefined ? undefined : (JSON.parse(text) as { readonly [key: string]: unknown });
}

/** The drain of the node was refused, which its record tells. */
export async function untilBlocked(world: World, node: string): Promise<void> {
  const isBlocked = async () => drainOf(await world.node(node))?.lastRefusal !== undefined;
  await world.until(`the drain of ${node} is blocked`, isBlocked, HOUR);
}

/** The pool `worker` is in the middle of its rollout: the first of its nodes is done, the second is down. */
export async function untilHalfway(world: World, config: string): Promise<void> {
  const isHalfway = async () =>
    (await isDone(world, 'worker-0', config)) && (await cordoned(world)).includes('worker-1');
  await world.until('the second is on its way', isHalfway, HOUR);
}

/** Ends a process as SIGKILL does: not a word more of it reaches the server. */
export async function kill(running: Running, { cut }: Cut): Promise<void> {
  cut();
  await running.stop();
}
