/**
 * The times of a Lease. The defaults are those of the Machine Config Operator, which tolerate a restart of the API server.
 */
export type LeaseSettings = {
  /** How long a Lease without renewal excludes others. */
  readonly durationMs: number;
  /** A leader that could not renew for this long ends its term. */
  readonly renewMs: number;
  /** The interval of renewals. Candidates look as often, or every few seconds. */
  readonly retryMs: number;
};

export const DEFAULT_LEASE_SETTINGS: LeaseSettings = {
  durationMs: 137_000,
  renewMs: 107_000,
  retryMs: 26_000,
};
