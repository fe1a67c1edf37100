/**
 * How much of what a registry sends is taken, how often it is asked, and how long it is waited for.
 */
import type { RetryLadder } from '../base/waiting.ts';

export type RegistryLimits = {
  /** How often one request is made where there was no answer, or none that counts. */
  readonly attempts: number;
  readonly retry: RetryLadder;
  /** A registry that wants to be asked later than this is not asked again. */
  readonly maxRetryAfterMs: number;
  readonly redirects: number;
  /** Until the beginning of an answer, and then for each further piece of it. */
  readonly stalledMs: number;
  readonly configBytes: number;
  readonly blobBytes: number;
  /** How often a blob that broke off is gone on with, when something came each time. */
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
