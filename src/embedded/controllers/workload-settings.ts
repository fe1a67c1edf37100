/**
 * Settings of the workload controllers.
 */
export type WorkloadSettings = {
  /** The CA certificate, for `kube-root-ca.crt`. */
  readonly authorityPem: string;
  /** How long a controller waits for its own writes to appear in the caches (client-go: `ExpectationsTimeout`). */
  readonly expectationTimeoutMs: number;
  /** How long an allowed eviction counts as disrupted. */
  readonly evictionLimitMs: number;
  /** Initial backoff of a failed Job, doubled after each failure up to the limit. */
  readonly jobBackoffMs: number;
  readonly jobBackoffLimitMs: number;
  /** Delay before a failed pod of a DaemonSet is replaced. */
  readonly failedDaemonPodMs: number;
  /** Retry interval for terminating namespaces. */
  readonly namespaceRetryMs: number;
  /** Retry interval for objects with an owner of an unserved kind. */
  readonly unknownOwnerRetryMs: number;
  /** Retry interval while caches are syncing. */
  readonly inventoryRetryMs: number;
  /** Retry interval for garbage that has changed since the decision. */
  readonly outdatedRetryMs: number;
};

type WorkloadSettingsOptions = {
  readonly authorityPem: string;
  /** Divides simulated durations only. */
  readonly speed?: number;
};

/** The defaults of Kubernetes, divided by the speed. */
export function workloadSettings({ authorityPem, speed = 1 }: WorkloadSettingsOptions): WorkloadSettings {
  return {
    authorityPem,
    expectationTimeoutMs: 5 * MINUTE_MS,
    evictionLimitMs: (2 * MINUTE_MS) / speed,
    jobBackoffMs: (10 * SECOND_MS) / speed,
    jobBackoffLimitMs: (10 * MINUTE_MS) / speed,
    failedDaemonPodMs: (10 * SECOND_MS) / speed,
    namespaceRetryMs: (15 * SECOND_MS) / speed,
    unknownOwnerRetryMs: (30 * SECOND_MS) / speed,
    inventoryRetryMs: SECOND_MS / speed,
    outdatedRetryMs: 100,
  };
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
