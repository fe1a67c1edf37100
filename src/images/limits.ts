/**
 * Limits of the registry client: sizes, retries and timeouts.
 */
import type { Backoff } from '../base/waiting.ts';

export type RegistryLimits = {
  /** Attempts of one request without a response, or with 429 or 5xx. */
  readonly attempts: number;
  readonly retry: Backoff;
  /** The longest `Retry-After` that is honoured. */
  readonly maxRetryAfterMs: number;
  readonly redirects: number;
  /** Until the response begins, and then for each further chunk. */
  readonly stalledMs: number;
  readonly configBytes: number;
  readonly blobBytes: number;
  /** How often an interrupted blob is resumed, with progress each time. */
  readonly resumes: number;
  /** Of tags, over all pages. */
  readonly tags: number;
};

export const DEFAULT_REGISTRY_LIMITS: RegistryLimits = {
  attempts: 4,
  retry: { baseMs: 500, factor: 2, capMs: 10_000, jitter: 0.5 },
  maxRetryAfterMs: 60_000,
  redirects: 5,
  stalledMs: 60_000,
  configBytes: 4 * 1024 * 1024,
  blobBytes: 16 * 1024 * 1024 * 1024,
  resumes: 50,
  tags: 100_000,
};
