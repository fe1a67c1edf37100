/**
 * The scheduler: puts each pod that has no node on the best one, and says why where there is none.
 *
 * Pods that fit nowhere are queue, and looked at again when something has changed that may help them: a node, or a pod
 * that went. How often is limited for each pod, so that a full cluster does not keep the scheduler busy.
 */

import { jsonEqual } from '../../../base/json.ts';
import { formatTimestamp } from '../../../base/text/index.ts';
import {
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
import { keyOf, placeOf } from '../object-keys.ts';
import { hasEnded } from '../workloads/pod-state.ts';
import { carryOut, updateStatus } from '../writes.ts';
import { bindPod } from './bind.ts';
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
  const failures = new Failures(cache);
  const recorder = events(SCHEDULER_NAME);

  /** Pods of which nobody knows whether they have been bound to where we think they are. */
  const lost = new Set<string>();

  async function place(pod: Pod, podInfo: PodInfo, node: string): Promise<Next> {
    const { key } = podInfo;
    cache.assume(podInfo, node);
    lost.delete(key);
    const bound = await bindPod(kube, pod, node);
    switch (bound.kind) {
      case 'bound': {
        recorder.normal(aboutPod(pod), 'Scheduled', `Successfully assigned ${key} to ${node}`);
        queue.forget(key);
        return done;
      }
      case 'overtaken':
        return done;
      case 'refused':
        cache.forget(podInfo);
        throw bound.error;
      case 'lost':
        lost.add(key);
        throw bound.error;
    }
  }

  async function park(pod: Pod, podInfo: PodInfo, message: string): Promise<Next> {
    const attempt = queue.attempt(podInfo);
    const conditions = withUnscheduled(pod, message, env.clock.now());
    if (conditions === pod.status?.conditions) return attempt.park();
    const status = { ...pod.status, conditions };
    const written = await carryOut(kube, updateStatus(podResource, { ...pod, status }));
    if (written.kind === 'stale') return attempt.again();
    recorder.warning(aboutPod(pod), 'FailedScheduling', message);
    return attempt.park();
  }

  return {
    name: 'scheduler',
    workers: 8,
    caches: [pods, nodes],
    watch: (enqueue) => follow({ pods, nodes, cache, queue, enqueue }),
    async reconcile(key) {
      const pod = pods.get(placeOf(key));
      if (pod === undefined || !isOurs(pod)) {
        queue.forget(key);
        lost.delete(key);
        return done;
      }
      const podInfo = podInfoOf(pod);
      const assumed = cache.assumedNode(podInfo);
      if (assumed !== undefined) return lost.has(key) ? place(pod, podInfo, assumed) : done;
      const choice = failures.choose(podInfo);
      return choice.kind === 'node' ? place(pod, podInfo, choice.name) : park(pod, podInfo, choice.message);
    },
  };
}

type Followed = {
  readonly pods: Cache<Pod>;
  readonly nodes: Cache<Node>;
  readonly cache: SchedulerCache;
  readonly queue: UnschedulableQueue;
  readonly enqueue: Enqueue;
};

function follow({ pods, nodes, cache, queue, enqueue }: Followed): void {
  nodes.onChange((change) => {
    cache.observeNode(change);
    queue.wake(enqueue);
  });
  pods.onChange(({ before, after: now }) => {
    cache.observePod({ before, after: now });
    queue.wake(enqueue);
    if (now !== undefined && isOurs(now) && isNews(before, now)) enqueue(keyOf(now));
    if (now === undefined && before !== undefined) queue.forget(keyOf(before));
  });
}

/** Whether more has changed than what is said of the pod. */
function isNews(before: Pod | undefined, now: Pod): boolean {
  return (
    before === undefined ||
    !jsonEqual(before.spec, now.spec) ||
    !jsonEqual(before.metadata.labels, now.metadata.labels)
  );
}

/** It has no node, wants one, and nothing holds it back. */
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

/** The status of the condition stays what it is where only the words change, and so does its time. */
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
 * Pods that ask for the same get the same answer until something changes for the better: of ten thousand pods that wait
 * for a node, one has to look.
 */
class Failures {
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
    // A pod that wants others near it may be helped by any pod that is placed.
    if (podInfo.affinity.length > 0) return schedulePod(podInfo, this.#cache);
    const text = schedulingKey(podInfo);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const choice = schedulePod(podInfo, this.#cache);
    if (choice.kind === 'nowhere') this.#known.set(text, choice);
    return choice;
  }
}
