/**
 * The scheduler: binds each unscheduled pod to the best node, or reports why none fits.
 *
 * Unschedulable pods wait in a queue until a node or pod changes in a way that may help them, with backoff per pod, so that
 * a full cluster does not keep the scheduler busy.
 */

import { jsonEqual } from '../../../base/json.ts';
import { formatTimestamp } from '../../../base/text/index.ts';
import {
  after,
  type Cache,
  type Controller,
  done,
  type Enqueue,
  type Next,
} from '../../../kubernetes/client/index.ts';
import {
  type Node,
  node as nodeResource,
  type Pod,
  type PodCondition,
  pod as podResource,
} from '../../../kubernetes/types/index.ts';
import { aboutPod, type NodeContext } from '../node-context.ts';
import { keyOf, objectKeyOf } from '../object-keys.ts';
import { hasEnded } from '../workloads/pod-state.ts';
import { carryOut, updateStatus } from '../writes.ts';
import { bindPod } from './bind.ts';
import { FitWarnings } from './fit-warnings.ts';
import { type PodInfo, podInfoOf, schedulingKey } from './pod-info.ts';
import { type ScheduleResult, schedulePod } from './schedule-pod.ts';
import { SchedulerCache } from './scheduler-cache.ts';
import { UnschedulableQueue } from './unschedulable-queue.ts';

const SCHEDULER_NAME = 'default-scheduler';

export function createScheduler(context: NodeContext): Controller {
  const { kube, caches, env, settings, events } = context;
  const pods = caches.of(podResource);
  const nodes = caches.of(nodeResource);
  const cache = new SchedulerCache();
  const queue = new UnschedulableQueue({ clock: env.clock, settings, cache });
  const failures = new FitErrorCache(cache);
  const warnings = new FitWarnings({ clock: env.clock, settings });
  const recorder = events(SCHEDULER_NAME);

  /** Pods whose binding request had no result. */
  const unconfirmed = new Set<string>();

  async function place(pod: Pod, podInfo: PodInfo, node: string): Promise<Next> {
    const { key } = podInfo;
    cache.assume(podInfo, node);
    unconfirmed.delete(key);
    const bound = await bindPod(kube, pod, node);
    switch (bound.kind) {
      case 'bound': {
        recorder.normal(aboutPod(pod), 'Scheduled', `Successfully assigned ${key} to ${node}`);
        queue.forget(key);
        warnings.forget(key);
        return done;
      }
      case 'overtaken':
        return done;
      case 'refused':
        cache.forget(podInfo);
        throw bound.error;
      case 'lost':
        unconfirmed.add(key);
        throw bound.error;
    }
  }

  async function park(pod: Pod, podInfo: PodInfo, message: string): Promise<Next> {
    const attempt = queue.attempt(podInfo);
    const conditions = withUnscheduled(pod, message, env.clock.now());
    if (conditions !== pod.status?.conditions) {
      const status = { ...pod.status, conditions };
      const written = await carryOut(kube, updateStatus(podResource, { ...pod, status }));
      if (written.kind === 'stale') return attempt.again();
    }
    const waitMs = warnings.waitMs(podInfo, message);
    if (waitMs === 0) recorder.warning(aboutPod(pod), 'FailedScheduling', message);
    return noLaterThan(waitMs ?? 0, attempt.park());
  }

  return {
    name: 'scheduler',
    workers: 8,
    caches: [pods, nodes],
    watch: (enqueue) => follow({ pods, nodes, cache, queue, warnings, enqueue }),
    async reconcile(key) {
      const pod = pods.get(objectKeyOf(key));
      if (pod === undefined || !isOurs(pod)) {
        queue.forget(key);
        warnings.forget(key);
        unconfirmed.delete(key);
        return done;
      }
      const podInfo = podInfoOf(pod);
      const assumed = cache.assumedNode(podInfo);
      if (assumed !== undefined) return unconfirmed.has(key) ? place(pod, podInfo, assumed) : done;
      const choice = failures.choose(podInfo);
      return choice.kind === 'node' ? place(pod, podInfo, choice.name) : park(pod, podInfo, choice.message);
    },
  };
}

/** With a delay: for the warning that is due then. */
function noLaterThan(delayMs: number, next: Next): Next {
  return next.kind === 'done' && delayMs > 0 ? after(delayMs, 'it may become schedulable') : next;
}

type Followed = {
  readonly pods: Cache<Pod>;
  readonly nodes: Cache<Node>;
  readonly cache: SchedulerCache;
  readonly queue: UnschedulableQueue;
  readonly warnings: FitWarnings;
  readonly enqueue: Enqueue;
};

function follow({ pods, nodes, cache, queue, warnings, enqueue }: Followed): void {
  nodes.onChange((change) => {
    cache.observeNode(change);
    if (change.before === undefined) warnings.onNode('joined');
    else if (change.after === undefined) warnings.onNode('left');
    queue.wake(enqueue);
  });
  pods.onChange(({ before, after: now }) => {
    cache.observePod({ before, after: now });
    queue.wake(enqueue);
    if (now !== undefined && isOurs(now) && isRelevantChange(before, now)) enqueue(keyOf(now));
    if (now === undefined && before !== undefined) {
      queue.forget(keyOf(before));
      warnings.forget(keyOf(before));
    }
  });
}

/** Whether more than the status has changed. */
function isRelevantChange(before: Pod | undefined, now: Pod): boolean {
  return (
    before === undefined ||
    !jsonEqual(before.spec, now.spec) ||
    !jsonEqual(before.metadata.labels, now.metadata.labels)
  );
}

/** Unbound, not terminating, without scheduling gates, and for this scheduler. */
function isOurs(pod: Pod): boolean {
  const { nodeName = '', schedulerName = SCHEDULER_NAME, schedulingGates = [] } = pod.spec;
  return (
    nodeName === '' &&
    schedulerName === SCHEDULER_NAME &&
    schedulingGates.length === 0 &&
    pod.metadata.deletionTimestamp === undefined &&
    !hasEnded(pod)
  );
}

/** The transition time changes only with the status of the condition. */
function withUnscheduled({ status }: Pod, message: string, nowMs: number): readonly PodCondition[] {
  const before = status?.conditions ?? [];
  const known = before.find(({ type }) => type === 'PodScheduled');
  const finding = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
  if (known?.status === 'False' && known.reason === finding.reason && known.message === message)
    return before;
  const lastTransitionTime =
    (known?.status === 'False' ? known.lastTransitionTime : undefined) ?? formatTimestamp(nowMs);
  const condition: PodCondition = { ...finding, lastProbeTime: null, lastTransitionTime };
  return known === undefined
    ? [...before, condition]
    : before.map((one) => (one === known ? condition : one));
}

/**
 * Caches fit errors by scheduling key until something improves, so that ten thousand identical pods cost one evaluation.
 */
class FitErrorCache {
  readonly #cache: SchedulerCache;
  readonly #known = new Map<string, ScheduleResult>();
  #gains = -1;

  constructor(cache: SchedulerCache) {
    this.#cache = cache;
  }

  choose(podInfo: PodInfo): ScheduleResult {
    const { gains } = this.#cache;
    if (gains !== this.#gains) this.#known.clear();
    this.#gains = gains;
    // Any newly placed pod may satisfy pod affinity.
    if (podInfo.affinity.length > 0) return schedulePod(podInfo, this.#cache);
    const text = schedulingKey(podInfo);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const choice = schedulePod(podInfo, this.#cache);
    if (choice.kind === 'unschedulable') this.#known.set(text, choice);
    return choice;
  }
}
