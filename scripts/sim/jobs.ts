/**
 * What the runner and its simulator processes say to each other. Plain data: it travels as JSON.
 */
import type { Mix, Scenario, Violation } from '../../src/simulation/index.ts';

export type Job = {
  readonly what:
    | { readonly kind: 'seed'; readonly seed: number; readonly mix: Mix }
    | { readonly kind: 'scenario'; readonly scenario: Scenario };
  /** Of the trace: what led to a failure, in the answer; or all of it, on stdout as it comes. */
  readonly lines: 'last' | 'print';
};

export type JobResult = {
  readonly seed: number;
  readonly violations: readonly Violation[];
  /** Of a failure, where it is known. */
  readonly scenario?: Scenario;
  /** Empty where the run did not come to its end. */
  readonly traceHash: string;
  readonly lines: readonly string[];
  /** Of the processor. */
  readonly cpuMs: number;
};

/** From a simulator process. */
export type Answer =
  /** It waits for jobs. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly result: JobResult }
  /** It ends after this: what is left of the run may still act. */
  | { readonly kind: 'crashed'; readonly result: JobResult };

/** The checker of errors that no part of the simulation expects. */
export const INTERNAL_ERRORS = 'internal errors';
