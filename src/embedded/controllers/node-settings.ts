/**
 * How long the stand-ins for scheduler, kubelets and node lifecycle take and wait. All delays are here, so that a faster
 * cluster is one with other settings.
 */
export type NodeSettings = {
  /** Divides durations that stand in objects, such as the grace of a pod; those below are divided already. */
  readonly speed: number;
  /** How long a pod that fitted nowhere is left alone; twice as long after the next attempt, up to the limit. */
  readonly scheduleRetryMs: number;
  readonly scheduleRetryLimitMs: number;
  /** Until the images of a new pod are there. */
  readonly podPullMs: number;
  /** From then until its containers run. */
  readonly podStartMs: number;
  /** By how much both differ from pod to pod: 0.2 means from 80 to 120 percent. */
  readonly podJitter: number;
  /** How long an init container runs. */
  readonly podInitMs: number;
  /** How long the containers of a pod run that are to end by themselves, as those of a Job. */
  readonly podRunMs: number;
  /** How long a pod takes to end when it is told to, where it does not say so itself. */
  readonly podEndMs: number;
  /** How long a container that ended waits before it starts again; twice as long the next time, up to the limit. */
  readonly crashRetryMs: number;
  readonly crashRetryLimitMs: number;
  /** How often a node says that it is there. Never divided by the speed, and neither is the patience of others. */
  readonly leaseRenewMs: number;
  readonly leaseDurationSeconds: number;
  /** How often a node repeats its status though nothing has changed. */
  readonly statusReportMs: number;
  /** After how long without a word a node counts as unreachable, and one that never spoke. */
  readonly nodeGraceMs: number;
  readonly nodeStartupGraceMs: number;
  /** How long pods of a node that is gone are kept, in case it comes back. */
  readonly orphanPodMs: number;
};

/** The waits of Kubernetes, those of the simulation divided by the speed. */
export function nodeSettings({ speed = 1 }: { readonly speed?: number } = {}): NodeSettings {
  return {
    speed,
    scheduleRetryMs: SECOND_MS / speed,
    scheduleRetryLimitMs: (10 * SECOND_MS) / speed,
    podPullMs: (2 * SECOND_MS) / speed,
    podStartMs: SECOND_MS / speed,
    podJitter: 0.2,
    podInitMs: SECOND_MS / speed,
    podRunMs: (10 * SECOND_MS) / speed,
    podEndMs: SECOND_MS / speed,
    crashRetryMs: (10 * SECOND_MS) / speed,
    crashRetryLimitMs: (300 * SECOND_MS) / speed,
    leaseRenewMs: 10 * SECOND_MS,
    leaseDurationSeconds: 40,
    statusReportMs: 300 * SECOND_MS,
    nodeGraceMs: 40 * SECOND_MS,
    nodeStartupGraceMs: 60 * SECOND_MS,
    orphanPodMs: 40 * SECOND_MS,
  };
}

const SECOND_MS = 1000;
