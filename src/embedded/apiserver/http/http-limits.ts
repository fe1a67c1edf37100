/**
 * How many clients there may be, how long one may take over each step of a request, and the server over its end.
 */
export type HttpLimits = {
  /** Beyond them, those that are idle make room. */
  readonly connections: number;
  readonly handshakeMs: number;
  /** From the first byte of a request to the end of its headers. */
  readonly headersMs: number;
  /** From the first byte of a request to the last. */
  readonly requestMs: number;
  /** Longer than clients keep a connection that they do not use, so that it is they who close it. */
  readonly idleMs: number;
  /** A client that takes nothing for so long is cut off. */
  readonly stalledMs: number;
  /** How long requests that are under way may take once the server has to stop. */
  readonly graceMs: number;
};

export const DEFAULT_LIMITS: HttpLimits = {
  connections: 5_000,
  handshakeMs: 10_000,
  headersMs: 30_000,
  requestMs: 60_000,
  idleMs: 100_000,
  stalledMs: 60_000,
  graceMs: 5_000,
};
