/**
 * How much a client may ask of a server, and how long it waits for answers: all of it in one place.
 *
 * The rate is a guard against mistakes of ours, not what protects the server: that knows its own load, says 429 with a
 * time (`Retry-After`), and then the whole client keeps quiet until that time has come.
 */
import type { Rate } from './token-bucket.ts';

export type RequestLimits = {
  /** How often this client may ask. */
  readonly rate: Rate;
  /** From the request to the last byte of its answer; for a watch, to the first. */
  readonly answerMs: number;
  readonly answerBytes: number;
  /** How often one request is made where the server says when to come again. */
  readonly attempts: number;
  /** How long all these waits may be together. */
  readonly retryMs: number;
};

/**
 * For one of many, such as a daemon: it asks for a handful of objects, and what each of 5,000 may ask the server hears
 * 5,000 times when they all come back at once.
 */
export const DEFAULT_REQUEST_LIMITS: RequestLimits = {
  rate: { perSecond: 20, burst: 100 },
  answerMs: 60_000,
  answerBytes: 256 * 1024 * 1024,
  attempts: 4,
  retryMs: 30_000,
};

/**
 * For the one that acts for all. Of 5,000 nodes 500 may move at once. To send, empty and bring back a node with ten pods
 * takes some 22 requests, so a wave takes 11,000: two minutes at 100 a second, while the nodes themselves need five. At
 * 1,000 a second it is eleven seconds, within the 5 % that a rollout may last longer than its nodes. How many are under way
 * at once is limited by the workers of the controllers.
 */
export const CONTROLLER_REQUEST_LIMITS: RequestLimits = {
  ...DEFAULT_REQUEST_LIMITS,
  rate: { perSecond: 1_000, burst: 1_000 },
};
