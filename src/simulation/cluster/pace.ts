/**
 * How long the modelled parts of a cluster take: kubelets, containers and pods. Machines have durations of their own (`MachineTimes`).
 */
import type { Pod } from '../../kubernetes/types/index.ts';

/** From the shortest to the longest. */
export type Span = readonly [fromMs: number, toMs: number];

export type Pace = {
  /** From the boot to the first report of the kubelet. */
  readonly kubeletStartMs: Span;
  /** From the boot to the start of the daemon. */
  readonly daemonStartMs: Span;
  /** From the creation of a pod until it is ready. */
  readonly podStartMs: Span;
  /** From the request that a pod end until it is gone. */
  readonly podEndMs: (pod: Pod) => Span;
  /** How long each call of a daemon to its machine takes; no time where it is absent. */
  readonly hostCallMs?: number;
  /** Absent where all pods do. */
  readonly becomesReady?: (pod: Pod) => boolean;
};

export const USUAL_PACE: Pace = {
  kubeletStartMs: [2_000, 8_000],
  daemonStartMs: [500, 5_000],
  podStartMs: [2_000, 8_000],
  podEndMs: () => [1_000, 20_000],
};
