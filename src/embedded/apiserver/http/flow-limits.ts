/**
 * How much is under way at once for those who come over the wire, all in one place. Whoever calls the server within its
 * own process is not counted, as the loopback of kube-apiserver is not: its clients hold themselves back.
 *
 * A seat stands for a request that is being worked on, from before its body is read until the last byte of its answer
 * is gone; so the seats bound the memory too, not the work alone.
 */
export type FlowLimits = {
  /** Seats of each level. */
  readonly seats: { readonly [level in Level]: number };
  /** A seat covers so much of a body or an answer; larger ones take more seats. */
  readonly bytesPerSeat: number;
  /** Requests of one user that may wait for a seat. */
  readonly waitingPerUser: number;
  /** Requests that may wait in one level. */
  readonly waiting: number;
  readonly waitMs: number;
  /** Watches, logs and the like, which hold no seat once they have begun. */
  readonly streams: number;
};

/** Levels have their own seats: what happens in one takes nothing from another. */
export type Level = 'leader-election' | 'system' | 'administrators' | 'workloads' | 'everyone';

export const DEFAULT_FLOW_LIMITS: FlowLimits = {
  seats: { 'leader-election': 32, system: 128, administrators: 128, workloads: 128, everyone: 128 },
  bytesPerSeat: 256 * 1024,
  waitingPerUser: 300,
  waiting: 2_000,
  waitMs: 15_000,
  // Below the number of connections, so that there are always some left for those who do not watch.
  streams: 4_000,
};

/** What clients are told to wait before they try again. */
export const RETRY_AFTER_SECONDS = 1;
