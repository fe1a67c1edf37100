/**
 * Simulated nodes: register, report status and renew their lease while their machine is up.
 */

import { after, type Cache, type Controller, done, type Next } from '../../../kubernetes/client/index.ts';
import {
  type Lease,
  lease as leaseResource,
  type Node,
  node as nodeResource,
} from '../../../kubernetes/types/index.ts';
import { aboutNode, type NodeContext } from '../node-context.ts';
import { carryOut, create, updateStatus } from '../writes.ts';
import { leaseDueMs, newLease, renewal } from './lease.ts';
import { isReportDue, newNode, nodeStatus, readyOf } from './node-status.ts';
import type { NumberedNode } from './simulated-nodes.ts';

export const LEASE_NAMESPACE = 'kube-node-lease';

type KubeletContext = Omit<NodeContext, 'nodes' | 'events'> & {
  readonly nodes: Cache<Node>;
  readonly leases: Cache<Lease>;
  readonly events: NodeEvents;
  /** When this process last renewed the lease of a node. */
  readonly renewedAt: Map<string, number>;
};

export function createKubeletNodeController(context: NodeContext): Controller {
  const { caches, power } = context;
  const nodes = caches.of(nodeResource);
  const leases = caches.of(leaseResource, { namespace: LEASE_NAMESPACE });
  const events = new NodeEvents(context);
  const kubelet: KubeletContext = { ...context, nodes, leases, events, renewedAt: new Map() };
  const { nodes: machines } = context;

  return {
    name: 'kubelet-node',
    workers: 16,
    caches: [nodes, leases],
    watch(enqueue) {
      for (const name of machines.names) enqueue(name);
      power.onChange((name) => {
        if (machines.has(name)) enqueue(name);
      });
      nodes.onChange(({ before, after: now }) => {
        const name = (now ?? before)?.metadata.name ?? '';
        if (machines.has(name)) enqueue(name);
      });
    },
    async reconcile(name) {
      const machine = machines.get(name);
      return machine === undefined ? done : reconcile(kubelet, machine);
    },
  };
}

async function reconcile(context: KubeletContext, machine: NumberedNode): Promise<Next> {
  const { env, settings, power } = context;
  const { name } = machine.node;
  if (!power.isUp(name)) return done;
  const node = await reportStatus(context, machine);
  if (node !== undefined && power.isUp(name)) await renewLease(context, node);
  const everyMs = settings.leaseRenewMs;
  const nowMs = env.clock.now();
  return after(leaseDueMs(name, { nowMs, everyMs }) + everyMs - nowMs, 'next lease renewal');
}

/** The current node; undefined after a conflict, in which case the watch enqueues it again. */
async function reportStatus(
  { kube, env, settings, power, nodes, events }: KubeletContext,
  { node, index }: NumberedNode,
): Promise<Node | undefined> {
  const nowMs = env.clock.now();
  const scene = { node, index, boot: power.boot(node.name), nowMs };
  const found = nodes.get({ name: node.name });
  if (found === undefined) {
    const made = newNode(scene);
    const written = await carryOut(kube, create(nodeResource, made));
    if (written.kind === 'written') events.statusReported(undefined, made);
    return undefined;
  }
  const status = nodeStatus(scene, found.status);
  const everyMs = settings.statusReportMs;
  if (isReportDue(found, status, { nowMs, everyMs }) !== undefined) {
    const now = { ...found, status };
    const written = await carryOut(kube, updateStatus(nodeResource, now));
    if (written.kind !== 'written') return undefined;
    events.statusReported(found, now);
  }
  events.nodeObserved(found);
  return found;
}

async function renewLease(
  { kube, env, settings, leases, renewedAt }: KubeletContext,
  owner: Node,
): Promise<void> {
  const { name } = owner.metadata;
  const nowMs = env.clock.now();
  const isRenewed = (renewedAt.get(name) ?? 0) >= leaseDueMs(name, { nowMs, everyMs: settings.leaseRenewMs });
  if (isRenewed) return;
  const place = { name, namespace: LEASE_NAMESPACE };
  if (leases.get(place) === undefined) {
    await carryOut(kube, create(leaseResource, newLease(owner, { ...place, nowMs, settings })));
  } else {
    await kube.patch(leaseResource, place, {
      type: 'merge',
      body: { spec: renewal(name, { nowMs, settings }) },
    });
  }
  renewedAt.set(name, nowMs);
}

/** Events of a kubelet about its node. */
class NodeEvents {
  readonly #recorder: ReturnType<NodeContext['events']>;
  readonly #cordoned = new Map<string, boolean>();

  constructor({ events }: NodeContext) {
    this.#recorder = events('kubelet');
  }

  /** After a status report. */
  statusReported(before: Node | undefined, { metadata: { name }, status }: Node): void {
    const about = aboutNode(name);
    const bootID = status?.nodeInfo?.bootID ?? '';
    const bootBefore = before?.status?.nodeInfo?.bootID ?? '';
    if (bootBefore !== bootID) this.#recorder.normal(about, 'Starting', 'Starting kubelet.');
    if (bootBefore !== bootID && bootBefore !== '') {
      this.#recorder.warning(about, 'Rebooted', `Node ${name} has been rebooted, boot id: ${bootID}`);
    }
    if (readyOf(before?.status)?.status !== 'True') this.#status(name, 'NodeReady');
  }

  /** Reports changes of `spec.unschedulable`. */
  nodeObserved({ metadata: { name }, spec }: Node): void {
    const { unschedulable: isCordoned = false } = spec;
    const before = this.#cordoned.get(name);
    this.#cordoned.set(name, isCordoned);
    if (before === undefined || before === isCordoned) return;
    this.#status(name, isCordoned ? 'NodeNotSchedulable' : 'NodeSchedulable');
  }

  #status(name: string, reason: string): void {
    this.#recorder.normal(aboutNode(name), reason, `Node ${name} status is now: ${reason}`);
  }
}
