/**
 * The node lifecycle controller: sets conditions of silent nodes to Unknown, derives taints from conditions, and marks pods
 * of unready nodes as not ready.
 *
 * Heartbeats are tracked in memory by the time of observation: after a restart, and after a pause of this process, every node
 * gets its full grace period. While all nodes are silent none is blamed: the problem is more likely on this side.
 */

import { formatTimestamp, parseTimestamp } from '../../../base/text/index.ts';
import {
  after,
  type Cache,
  type Controller,
  done,
  type EventRecorder,
  type Next,
} from '../../../kubernetes/client/index.ts';
import {
  type Lease,
  lease as leaseResource,
  type Node,
  node as nodeResource,
  type Pod,
  pod as podResource,
} from '../../../kubernetes/types/index.ts';
import { LEASE_NAMESPACE } from '../kubelet/node-controller.ts';
import { aboutNode, aboutPod, byNode, type NodeContext } from '../node-context.ts';
import { isReady } from '../workloads/pod-state.ts';
import { carryOut, update, updateStatus } from '../writes.ts';
import { conditionOf, isNodeReady, withUnknownConditions } from './health.ts';
import { tainted } from './taints.ts';

type LifecycleContext = Pick<NodeContext, 'kube' | 'env'> & {
  readonly nodes: Cache<Node>;
  readonly pods: Cache<Pod>;
  readonly heartbeats: Heartbeats;
  /** The names of ready nodes. */
  readonly ready: Set<string>;
  /** UIDs of registered nodes, by name. */
  readonly registered: Map<string, string>;
  readonly recorder: EventRecorder;
};

export function createNodeLifecycle(dependencies: NodeContext): Controller {
  const { kube, env, caches, events } = dependencies;
  const nodes = caches.of(nodeResource);
  const leases = caches.of(leaseResource, { namespace: LEASE_NAMESPACE });
  const pods = caches.of(podResource, { indexes: byNode });
  const context: LifecycleContext = {
    kube,
    env,
    nodes,
    pods,
    heartbeats: new Heartbeats(dependencies),
    ready: new Set(),
    registered: new Map(),
    recorder: events('node-controller'),
  };
  const { heartbeats, ready } = context;
  return {
    name: 'node-lifecycle',
    workers: 8,
    caches: [nodes, leases, pods],
    watch(enqueue) {
      nodes.onChange(({ before, after: now }) => {
        const name = (now ?? before)?.metadata.name ?? '';
        const wasOutage = ready.size === 0;
        if (now !== undefined && isNodeReady(now)) ready.add(name);
        else ready.delete(name);
        if (now !== undefined) heartbeats.observeNode(now);
        enqueue(name);
        // Taints of all nodes depend on whether any node is ready.
        if (wasOutage !== (ready.size === 0)) for (const { metadata } of nodes.all()) enqueue(metadata.name);
      });
      leases.onChange(({ after: now }) => {
        if (now !== undefined) heartbeats.observeLease(now);
      });
      pods.onChange(({ before, after: now }) => {
        const { nodeName = '' } = now?.spec ?? {};
        const isRelevant =
          before?.spec.nodeName !== nodeName || (now !== undefined && isReady(now) && !isReady(before));
        if (nodeName !== '' && isRelevant && !ready.has(nodeName)) enqueue(nodeName);
      });
    },
    reconcile: (name) => reconcile(context, name),
  };
}

/** How long after all nodes fell silent it is looked again whether that still holds. */
const OUTAGE_LOOK_MS = 1_000;

async function reconcile(context: LifecycleContext, name: string): Promise<Next> {
  const { nodes, heartbeats } = context;
  const found = nodes.get({ name });
  if (found === undefined) {
    unregister(context, name);
    return done;
  }
  register(context, found);
  const node = await monitorHealth(context, found);
  if (node === undefined || !(await updateTaints(context, node))) return done;
  const condition = conditionOf(node, 'Ready');
  if (condition !== undefined && condition.status !== 'True') await markPodsNotReady(context, name);
  const leftMs = heartbeats.leftMs(node);
  if (leftMs > 0) return after(leftMs, 'end of the grace period of a node');
  // Other nodes are silent too, and are not marked yet: one of them may report in time.
  return context.ready.size > 0 && isOutage(context) ? after(OUTAGE_LOOK_MS, 'all nodes are silent') : done;
}

function register({ registered, recorder }: LifecycleContext, { metadata }: Node): void {
  const { name, uid = '' } = metadata;
  if (registered.has(name)) return;
  registered.set(name, uid);
  const message = `Node ${name} event: Registered Node ${name} in Controller`;
  recorder.normal(aboutNode(name, uid), 'RegisteredNode', message);
}

function unregister({ heartbeats, registered, recorder }: LifecycleContext, name: string): void {
  const uid = registered.get(name);
  heartbeats.forget(name);
  if (uid === undefined) return;
  registered.delete(name);
  const message = `Node ${name} event: Removing Node ${name} from Controller`;
  recorder.normal(aboutNode(name, uid), 'RemovingNode', message);
}

/** The current node; undefined after a conflict, in which case the watch enqueues it again. */
async function monitorHealth(
  { kube, env, heartbeats, recorder }: LifecycleContext,
  node: Node,
): Promise<Node | undefined> {
  if (heartbeats.leftMs(node) > 0) return node;
  const silent = withUnknownConditions(node, env.clock.now());
  if (silent === node) return node;
  const written = await carryOut(kube, updateStatus(nodeResource, silent));
  if (written.kind !== 'written') return undefined;
  const { name, uid = '' } = node.metadata;
  if (isNodeReady(node)) {
    recorder.normal(aboutNode(name, uid), 'NodeNotReady', `Node ${name} status is now: NodeNotReady`);
  }
  return { ...silent, metadata: written.object.metadata };
}

/** False after a conflict. */
async function updateTaints(context: LifecycleContext, node: Node): Promise<boolean> {
  const { kube, env } = context;
  const now = tainted(node, { isOutage: isOutage(context), nowMs: env.clock.now() });
  if (now === node) return true;
  return (await carryOut(kube, update(nodeResource, now))).kind === 'written';
}

/** No node is ready, or will be considered ready in a moment. */
function isOutage({ nodes, ready, heartbeats }: LifecycleContext): boolean {
  for (const name of ready) {
    const node = nodes.get({ name });
    if (node !== undefined && heartbeats.leftMs(node) > 0) return false;
  }
  return true;
}

async function markPodsNotReady(
  { kube, env, pods, recorder }: LifecycleContext,
  node: string,
): Promise<void> {
  for (const pod of pods.by('node', node).filter(isReady)) {
    const unready = withoutReadiness(pod, env.clock.now());
    const written = await carryOut(kube, updateStatus(podResource, unready));
    if (written.kind === 'written') recorder.warning(aboutPod(pod), 'NodeNotReady', 'Node is not ready');
  }
}

/** The last observed heartbeat of each node. */
class Heartbeats {
  readonly #context: Pick<NodeContext, 'env' | 'settings' | 'pauses'>;
  readonly #observed = new Map<string, { readonly value: string; readonly atMs: number }>();
  /** When this process last was able to observe anything at all again. */
  #resumedAtMs = Number.NEGATIVE_INFINITY;

  constructor(context: Pick<NodeContext, 'env' | 'settings' | 'pauses'>) {
    this.#context = context;
    context.pauses.onPause(() => {
      this.#resumedAtMs = context.env.clock.monotonic();
    });
  }

  observeLease({ metadata: { name }, spec }: Lease): void {
    this.#observe(`lease ${name}`, spec.renewTime ?? '');
  }

  observeNode(node: Node): void {
    this.#observe(`node ${node.metadata.name}`, conditionOf(node, 'Ready')?.lastHeartbeatTime ?? '');
  }

  /** The rest of the grace period; 0 or less if it has ended. */
  leftMs(node: Node): number {
    const { env, settings, pauses } = this.#context;
    pauses.look();
    const { name, creationTimestamp } = node.metadata;
    const nowMs = env.clock.monotonic();
    const hasReported = conditionOf(node, 'Ready') !== undefined;
    const graceMs = hasReported ? settings.nodeGraceMs : settings.nodeStartupGraceMs;
    const createdMs = nowMs - (env.clock.now() - (parseTimestamp(creationTimestamp) ?? env.clock.now()));
    const times = ['lease', 'node'].flatMap((kind) => this.#observed.get(`${kind} ${name}`)?.atMs ?? []);
    return Math.max(createdMs, this.#resumedAtMs, ...times) + graceMs - nowMs;
  }

  forget(name: string): void {
    this.#observed.delete(`lease ${name}`);
    this.#observed.delete(`node ${name}`);
  }

  #observe(source: string, value: string): void {
    if (value === '' || this.#observed.get(source)?.value === value) return;
    this.#observed.set(source, { value, atMs: this.#context.env.clock.monotonic() });
  }
}

function withoutReadiness(pod: Pod, nowMs: number): Pod {
  const conditions = pod.status?.conditions?.map((condition) =>
    condition.type === 'Ready'
      ? { ...condition, status: 'False', lastTransitionTime: formatTimestamp(nowMs) }
      : condition,
  );
  return conditions === undefined ? pod : { ...pod, status: { ...pod.status, conditions } };
}
