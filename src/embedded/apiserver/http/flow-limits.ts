/**
 * The limits of flow control. Clients within the process are exempt, like the loopback client of kube-apiserver: they
 * limit themselves.
 *
 * A request has a seat from before its body is read until its response is sent, so seats bound the memory too.
 */
export type FlowLimits = {
  /** Seats of each priority level. */
  readonly seats: { readonly [level in PriorityLevel]: number };
  /** The size of a body or response that one seat covers; larger ones take more seats. */
  readonly bytesPerSeat: number;
  /** Queued requests per user. */
  readonly waitingPerUser: number;
  /** Queued requests per priority level. */
  readonly waiting: number;
  readonly waitMs: number;
  /** Watches, logs and other streams, which hold no seat once they have begun. */
  readonly streams: number;
};

/** Priority levels are isolated: each has its own seats. */
export type PriorityLevel = 'leader-election' | 'system' | 'administrators' | 'workloads' | 'everyone';

export const DEFAULT_FLOW_LIMITS: FlowLimits = {
  seats: { 'leader-election': 32, system: 128, administrators: 128, workloads: 128, everyone: 128 },
  bytesPerSeat: 256 * 1024,
  waitingPerUser: 300,
  waiting: 2_000,
  waitMs: 15_000,
  // Below the limit of connections, so that some are left for other requests.
  streams: 4_000,
};

/** For the header `Retry-After`. */
export const RETRY_AFTER_SECONDS = 1;
