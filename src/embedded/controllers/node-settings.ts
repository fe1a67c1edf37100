/**
 * Durations of scheduler, simulated kubelets and node lifecycle controllers.
 */
export type NodeSettings = {
  /** Divides durations from objects, such as grace periods; those below are already divided. */
  readonly speed: number;
  /** Initial backoff of unschedulable pods, doubled after each attempt up to the limit. */
  readonly scheduleRetryMs: number;
  readonly scheduleRetryLimitMs: number;
  /**
   * How long a pod is unschedulable, and no node has joined, before there is a warning; and how long without any node. Never
   * divided by the speed.
   */
  readonly unschedulableWarningMs: number;
  readonly firstNodeMs: number;
  /** Image pull of a new pod. */
  readonly podPullMs: number;
  /** Start of its containers after the pull. */
  readonly podStartMs: number;
  /** Relative variation of both: 0.2 means 80 to 120 percent. */
  readonly podJitter: number;
  /** Run time of an init container. */
  readonly podInitMs: number;
  /** Run time of containers that complete, such as those of a Job. */
  readonly podRunMs: number;
  /** Termination time of a pod without an annotation for it. */
  readonly podEndMs: number;
  /** Initial CrashLoopBackOff delay, doubled after each restart up to the limit. */
  readonly crashRetryMs: number;
  readonly crashRetryLimitMs: number;
  /** Heartbeat interval. Never divided by the speed, nor are the grace periods. */
  readonly leaseRenewMs: number;
  readonly leaseDurationSeconds: number;
  /** Interval of unchanged status reports. */
  readonly statusReportMs: number;
  /** Grace periods for heartbeats: of a node that has reported, and of one that never has. */
  readonly nodeGraceMs: number;
  readonly nodeStartupGraceMs: number;
  /** How long pods of a deleted node are kept. */
  readonly orphanPodMs: number;
};

/** The defaults of Kubernetes; simulated durations are divided by the speed. */
export function nodeSettings({ speed = 1 }: { readonly speed?: number } = {}): NodeSettings {
  return {
    speed,
    scheduleRetryMs: SECOND_MS / speed,
    scheduleRetryLimitMs: (10 * SECOND_MS) / speed,
    unschedulableWarningMs: 10 * SECOND_MS,
    firstNodeMs: 60 * SECOND_MS,
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
