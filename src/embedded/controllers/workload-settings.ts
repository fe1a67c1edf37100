/**
 * How long the stand-ins wait for what, and what they hand out. All delays are here, so that a faster cluster is one with
 * other settings.
 */
export type WorkloadSettings = {
  /** The certificate of the authority that the server's own is signed by, for `kube-root-ca.crt`. */
  readonly authorityPem: string;
  /** How long a write may take to show in the caches before it is no longer waited for. */
  readonly unseenLimitMs: number;
  /** How long a pod may take to go after its eviction was allowed before it counts again. */
  readonly evictionLimitMs: number;
  /** How long a job waits after a failure; twice as long after the next, up to the limit. */
  readonly jobBackoffMs: number;
  readonly jobBackoffLimitMs: number;
  /** How old a failed pod of a DaemonSet becomes before it is replaced: whatever made it fail may still be there. */
  readonly failedDaemonPodMs: number;
  /** How soon the contents of a namespace that is being deleted are looked at again, beside every change of them. */
  readonly namespaceRetryMs: number;
  /** How soon an object is looked at again whose owner is of a kind that the server does not have. */
  readonly unknownOwnerRetryMs: number;
  /** How soon garbage is looked at again while objects of a new kind are still being read. */
  readonly inventoryRetryMs: number;
  /** How soon garbage is looked at again that has changed while it was decided on: by then the change can be seen. */
  readonly overtakenRetryMs: number;
};

type WorkloadSettingsOptions = {
  readonly authorityPem: string;
  /** How many times faster than a real cluster. It does not shorten what is about the server and not the simulation. */
  readonly speed?: number;
};

/** The waits of Kubernetes, divided by the speed. */
export function workloadSettings({ authorityPem, speed = 1 }: WorkloadSettingsOptions): WorkloadSettings {
  return {
    authorityPem,
    unseenLimitMs: 5 * MINUTE_MS,
    evictionLimitMs: (2 * MINUTE_MS) / speed,
    jobBackoffMs: (10 * SECOND_MS) / speed,
    jobBackoffLimitMs: (10 * MINUTE_MS) / speed,
    failedDaemonPodMs: (10 * SECOND_MS) / speed,
    namespaceRetryMs: (15 * SECOND_MS) / speed,
    unknownOwnerRetryMs: (30 * SECOND_MS) / speed,
    inventoryRetryMs: SECOND_MS / speed,
    overtakenRetryMs: 100,
  };
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
