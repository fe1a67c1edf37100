/**
 * The rate limit and timeouts of a client.
 *
 * The rate limit guards against bugs; it does not protect the server, which knows its own load and responds with 429 and
 * `Retry-After`. Then the whole client waits.
 */
import type { Rate } from './token-bucket.ts';

export type RequestLimits = {
  /** The rate limit of this client. */
  readonly rate: Rate;
  /** From the request to the last byte of its response; for a watch, to the first. */
  readonly answerMs: number;
  readonly answerBytes: number;
  /** The number of attempts where the server sets `Retry-After`. */
  readonly attempts: number;
  /** The total delay of these attempts. */
  readonly retryMs: number;
};

/**
 * For one of many clients, such as a daemon: it needs a handful of objects, and 5,000 daemons may start at once.
 */
export const DEFAULT_REQUEST_LIMITS: RequestLimits = {
  rate: { perSecond: 20, burst: 100 },
  answerMs: 60_000,
  answerBytes: 256 * 1024 * 1024,
  attempts: 4,
  retryMs: 30_000,
};

/**
 * For the controllers. Of 5,000 nodes 500 may be updated at once. To send, drain and uncordon a node with ten pods takes
 * some 18 requests, so a batch takes 9,000: a minute and a half at 100 per second, while the nodes themselves need five. At
 * 1,000 per second it is nine seconds, within the 5 % that a rollout may add. Concurrency is limited by the controllers.
 */
export const CONTROLLER_REQUEST_LIMITS: RequestLimits = {
  ...DEFAULT_REQUEST_LIMITS,
  rate: { perSecond: 1_000, burst: 1_000 },
};
