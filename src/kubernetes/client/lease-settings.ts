/**
 * How a Lease is held. The defaults are those of the Machine Config Operator, which ride out a restart of the API server.
 */
export type LeaseSettings = {
  /** How long others leave a Lease alone that does not change. */
  readonly durationMs: number;
  /** A leader that has not renewed for so long leads no more. */
  readonly renewMs: number;
  /** How often a leader renews and a candidate looks. */
  readonly retryMs: number;
};

export const DEFAULT_LEASE_SETTINGS: LeaseSettings = {
  durationMs: 137_000,
  renewMs: 107_000,
  retryMs: 26_000,
};
