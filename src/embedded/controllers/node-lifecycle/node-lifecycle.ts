/**
 * The node lifecycle controller: sets conditions of silent nodes to Unknown, derives taints from conditions, and marks pods
 * of unready nodes as not ready.
 *
 * Heartbeats are tracked in memory by the time of observation: after a restart every node gets its full grace period.
 */

import { formatTimestamp, parseTimestamp } from '../../../base/text/index.ts';
import { after, type Controller, done, type Next } from '../../../kubernetes/client/index.ts';
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

export function createNodeLifecycle(context: NodeContext): Controller {
  const { kube, caches, env } = context;
  const nodes = caches.of(nodeResource);
  const leases = caches.of(leaseResource, { namespace: LEASE_NAMESPACE });
  const pods = caches.of(podResource, { indexes: byNode });
  const heartbeats = new Heartbeats(context);
  const ready = new Set<string>();
  const known = new Map<string, string>();
  const recorder = context.events('node-controller');

  function register(node: Node): void {
    const { name, uid = '' } = node.metadata;
    if (known.has(name)) return;
    known.set(name, uid);
    recorder.normal(
      aboutNode(name, uid),
      'RegisteredNode',
      `Node ${name} event: Registered Node ${name} in Controller`,
    );
  }

  function forget(name: string): void {
    const uid = known.get(name);
    heartbeats.forget(name);
    if (uid === undefined) return;
    known.delete(name);
    recorder.normal(
      aboutNode(name, uid),
      'RemovingNode',
      `Node ${name} event: Removing Node ${name} from Controller`,
    );
  }

  /** The current node; undefined after a conflict, in which case the watch enqueues it again. */
  async function monitorHealth(node: Node): Promise<Node | undefined> {
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

  async function taint(node: Node): Promise<boolean> {
    const now = tainted(node, { isOutage: ready.size === 0, nowMs: env.clock.now() });
    if (now === node) return true;
    return (await carryOut(kube, update(nodeResource, now))).kind === 'written';
  }

  async function markPodsNotReady(node: string): Promise<void> {
    for (const pod of pods.by('node', node).filter(isReady)) {
      const unready = withoutReadiness(pod, env.clock.now());
      const written = await carryOut(kube, updateStatus(podResource, unready));
      if (written.kind === 'written') recorder.warning(aboutPod(pod), 'NodeNotReady', 'Node is not ready');
    }
  }

  async function reconcile(name: string): Promise<Next> {
    const found = nodes.get({ name });
    if (found === undefined) {
      forget(name);
      return done;
    }
    register(found);
    const node = await monitorHealth(found);
    if (node === undefined || !(await taint(node))) return done;
    const condition = conditionOf(node, 'Ready');
    if (condition !== undefined && condition.status !== 'True') await markPodsNotReady(name);
    const leftMs = heartbeats.leftMs(node);
    return leftMs <= 0 ? done : after(leftMs, 'end of the grace period of a node');
  }

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
    reconcile,
  };
}

/** The last observed heartbeat of each node. */
class Heartbeats {
  readonly #context: Pick<NodeContext, 'env' | 'settings'>;
  readonly #observed = new Map<string, { readonly value: string; readonly atMs: number }>();

  constructor(context: Pick<NodeContext, 'env' | 'settings'>) {
    this.#context = context;
  }

  observeLease({ metadata: { name }, spec }: Lease): void {
    this.#observe(`lease ${name}`, spec.renewTime ?? '');
  }

  observeNode(node: Node): void {
    this.#observe(`node ${node.metadata.name}`, conditionOf(node, 'Ready')?.lastHeartbeatTime ?? '');
  }

  /** The rest of the grace period; 0 or less if it has ended. */
  leftMs(node: Node): number {
    const { env, settings } = this.#context;
    const { name, creationTimestamp } = node.metadata;
    const nowMs = env.clock.monotonic();
    const hasReported = conditionOf(node, 'Ready') !== undefined;
    const graceMs = hasReported ? settings.nodeGraceMs : settings.nodeStartupGraceMs;
    const createdMs = nowMs - (env.clock.now() - (parseTimestamp(creationTimestamp) ?? env.clock.now()));
    const times = ['lease', 'node'].flatMap((kind) => this.#observed.get(`${kind} ${name}`)?.atMs ?? []);
    return Math.max(createdMs, ...times) + graceMs - nowMs;
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
