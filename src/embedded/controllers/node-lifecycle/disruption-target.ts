/**
 * The condition `DisruptionTarget` of pods that are deleted by a controller.
 */

import { formatTimestamp } from '../../../base/text/index.ts';
import type { Pod, PodCondition } from '../../../kubernetes/types/index.ts';

type Disruption = { readonly reason: string; readonly message: string };

/** Returns the same pod if the condition is already set. */
export function withDisruption(pod: Pod, { reason, message }: Disruption, nowMs: number): Pod {
  const before = pod.status?.conditions ?? [];
  const known = before.find(({ type }) => type === 'DisruptionTarget');
  if (known?.status === 'True' && known.reason === reason && known.message === message) return pod;
  const condition: PodCondition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason,
    message,
    lastProbeTime: null,
    lastTransitionTime: formatTimestamp(nowMs),
  };
  const conditions = [...before.filter((one) => one !== known), condition];
  return { ...pod, status: { ...pod.status, conditions } };
}
