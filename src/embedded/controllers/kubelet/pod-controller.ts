/**
 * Simulated pods: start, run and terminate pods that are bound to simulated nodes.
 *
 * The status of a pod determines its step; only the exact start of a step is kept in memory, since the API is precise to
 * the second.
 */
import { annotations } from '../../../api/index.ts';
import { compareBytes, jsonEqual } from '../../../base/json.ts';
import {
  after,
  type Cache,
  type Controller,
  done,
  type EventRecorder,
  type Next,
} from '../../../kubernetes/client/index.ts';
import { type Pod, pod as podResource } from '../../../kubernetes/types/index.ts';
import { aboutPod, byNode, type NodeContext } from '../node-context.ts';
import { keyOfObject } from '../object-keys.ts';
import { carryOut, updateStatus } from '../writes.ts';
import { bootDigits } from './containers.ts';
import { freePodAddress, nodeAddress } from './node-status.ts';
import { type PodPlan, planPod } from './plan-pod.ts';
import { type PodStep, podStep, stepBeganMs, stepKey } from './pod-step.ts';
import type { NumberedNode } from './simulated-nodes.ts';

type PodContext = NodeContext & {
  readonly pods: Cache<Pod>;
  readonly steps: StepTimes;
  readonly recorder: EventRecorder;
};

export function createKubeletPodController(context: NodeContext): Controller {
  const { caches, power } = context;
  const pods = caches.of(podResource, { indexes: byNode });
  const { nodes: machines } = context;
  const steps = new StepTimes();
  const kubelet: PodContext = { ...context, pods, steps, recorder: context.events('kubelet') };

  return {
    name: 'kubelet',
    workers: 16,
    caches: [pods],
    watch(enqueue) {
      const enqueueNode = (node: string) => {
        if (machines.has(node)) enqueue(node);
      };
      power.onChange(enqueueNode);
      context.executions?.onChange(enqueueNode);
      pods.onChange(({ before, after: now }) => {
        const { nodeName = '' } = (now ?? before)?.spec ?? {};
        if (now === undefined && before !== undefined) steps.forget(before);
        if (now !== undefined && machines.has(nodeName)) enqueue(nodeName);
      });
    },
    async reconcile(node) {
      const machine = machines.get(node);
      return machine === undefined ? done : reconcile(kubelet, machine);
    },
  };
}

async function reconcile(context: PodContext, machine: NumberedNode): Promise<Next> {
  const { pods, power } = context;
  const { name } = machine.node;
  if (!power.isUp(name)) return done;
  const bound = pods.by('node', name).filter(isSimulated).toSorted(byName);
  const boot = bootDigits(power.boot(name).bootID);
  const taken = new Set(bound.flatMap(({ status }) => status?.podIP ?? []));
  const waits: number[] = [];
  const failures: unknown[] = [];
  for (const pod of bound) {
    // The machine may have gone down meanwhile.
    if (!power.isUp(name)) return done;
    const plan = planFor(context, pod, { ...machine, boot, taken });
    try {
      await carryOutPlan(context, pod, plan);
    } catch (error) {
      failures.push(error);
    }
    if (plan.status?.podIP !== undefined) taken.add(plan.status.podIP);
    if (plan.waitMs !== undefined) waits.push(plan.waitMs);
  }
  // One failing pod must not delay the others.
  if (failures.length > 0) throw failures[0];
  return waits.length === 0 ? done : after(Math.min(...waits), 'the next step of a pod is due');
}

type BootedMachine = NumberedNode & {
  readonly boot: string;
  /** Addresses in use on the node. */
  readonly taken: ReadonlySet<string>;
};

function planFor(
  { env, settings, steps, executions }: PodContext,
  pod: Pod,
  { node, index, boot, taken }: BootedMachine,
): PodPlan {
  const nowMs = env.clock.now();
  const step = podStep(pod, boot);
  const hostIP = node.address ?? nodeAddress(index);
  const freeIP = (): string => freePodAddress(index, taken);
  const execution = executions?.of(pod);
  return planPod({
    ...{ pod, step, nowMs, boot, hostIP, freeIP, settings },
    ...steps.look(pod, step, nowMs),
    ...(execution === undefined ? {} : { execution }),
  });
}

/** Stops after a conflict: the watch enqueues the pod again. */
async function carryOutPlan(
  { kube, recorder }: PodContext,
  pod: Pod,
  { status, isGone, events = [] }: PodPlan,
): Promise<void> {
  if (status !== undefined && !jsonEqual(status, pod.status)) {
    const written = await carryOut(kube, updateStatus(podResource, { ...pod, status }));
    if (written.kind === 'stale') return;
  }
  for (const { reason, message, isWarning = false } of events) {
    if (isWarning) recorder.warning(aboutPod(pod), reason, message);
    else recorder.normal(aboutPod(pod), reason, message);
  }
  const { uid } = pod.metadata;
  if (isGone !== true || uid === undefined) return;
  await kube.delete(podResource, keyOfObject(pod), { gracePeriodSeconds: 0, uid });
}

function isSimulated({ metadata }: Pod): boolean {
  return metadata.annotations?.[annotations.external] === undefined;
}

/** A stable order. */
function byName({ metadata: a }: Pod, { metadata: b }: Pod): number {
  return compareBytes(a.name, b.name) || compareBytes(a.namespace ?? '', b.namespace ?? '');
}

/** The precision of timestamps in objects. */
const STAMP_MS = 1000;

/** Start times of the current steps of pods. */
class StepTimes {
  readonly #known = new Map<string, { readonly key: string; readonly sinceMs: number }>();

  look(pod: Pod, step: PodStep, nowMs: number): { readonly sinceMs: number; readonly isFirstLook: boolean } {
    const uid = pod.metadata.uid ?? '';
    const key = stepKey(step);
    const known = this.#known.get(uid);
    if (known?.key === key) return { sinceMs: known.sinceMs, isFirstLook: false };
    const stampMs = stepBeganMs(pod, step) ?? nowMs;
    // A step of this second started just now; an older one started before this process.
    const sinceMs = known !== undefined || nowMs - stampMs < STAMP_MS ? nowMs : stampMs;
    this.#known.set(uid, { key, sinceMs });
    return { sinceMs, isFirstLook: true };
  }

  forget({ metadata }: Pod): void {
    this.#known.delete(metadata.uid ?? '');
  }
}
