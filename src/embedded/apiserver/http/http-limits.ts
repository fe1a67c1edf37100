/** Limits of connections and timeouts. */
export type HttpLimits = {
  /** Above it, idle connections are closed. */
  readonly connections: number;
  readonly handshakeMs: number;
  /** From the first byte of a request to the end of its headers. */
  readonly headersMs: number;
  /** From the first byte of a request to the last. */
  readonly requestMs: number;
  /** Longer than clients keep idle connections, so that clients close them first. */
  readonly idleMs: number;
  /** A client that reads nothing for so long is disconnected. */
  readonly stalledMs: number;
  /** How long requests may take to finish once the server stops. */
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
