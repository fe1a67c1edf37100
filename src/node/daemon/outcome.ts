/**
 * The outcome of one action: what to report, and when to continue.
 */
import { Bug, Failure } from '../../base/errors.ts';
import { done, type Next } from '../../kubernetes/client/index.ts';
import type { ProgressEvent } from '../report/index.ts';
import { CLUSTER_UNREACHABLE } from './cluster-config.ts';
import type { JournalFailure } from './journal.ts';

export type TickOutcome = {
  readonly progress: readonly ProgressEvent[];
  readonly next: 'again' | Next | { readonly kind: 'failed'; readonly error: Failure };
  /** What comes next relies on the annotations of the Node: it waits until they are written. */
  readonly reliesOnReport?: boolean;
  /** Annotations of the daemon that belong to no progress event. */
  readonly annotations?: { readonly [key: string]: string | null };
};

export function again(...progress: readonly ProgressEvent[]): TickOutcome {
  return { progress, next: 'again' };
}

export function onceReported(...progress: readonly ProgressEvent[]): TickOutcome {
  return { progress, next: 'again', reliesOnReport: true };
}

export function rest(progress: readonly ProgressEvent[] = [], next: Next = done): TickOutcome {
  return { progress, next };
}

/** Reported, and retried after growing delays. */
export function failed(
  failure: JournalFailure & { readonly rollback?: 'done' },
  before: readonly ProgressEvent[] = [],
): TickOutcome {
  return {
    progress: [...before, { kind: 'failed', ...failure }],
    next: { kind: 'failed', error: new Failure('transient', 'UpdateFailed', failure.error) },
  };
}

/** Whether an error ends the process without a rollback: shutdown, or a bug, which may affect the undo as well. */
export function isFatal(error: unknown): boolean {
  return !(error instanceof Failure) || error.kind === 'cancelled';
}

/**
 * What is reported of an error; undefined where the process, its machine or its power ends, where the cluster is unreachable,
 * which is no failure of the node, and for bugs.
 */
export function userMessage(error: unknown): string | undefined {
  if (error instanceof Failure) {
    return error.kind === 'cancelled' || error.reason === CLUSTER_UNREACHABLE ? undefined : error.message;
  }
  return error instanceof Bug ? undefined : `unexpected error: ${String(error)}`;
}
