/**
 * What came of one thing that was done: what there is to tell, and how to go on.
 */
import { Bug, Failure } from '../../base/errors.ts';
import { done, type Next } from '../../kubernetes/client/index.ts';
import type { Moment } from '../report/index.ts';
import type { JournalFailure } from './journal.ts';

export type TickOutcome = {
  readonly moments: readonly Moment[];
  readonly next: 'again' | Next | { readonly kind: 'failed'; readonly error: Failure };
  /** Going on rests on the words on the Node: where they could not be said, it waits. */
  readonly restsOnWords?: boolean;
  /** Annotations of ours that belong to no moment. */
  readonly words?: { readonly [key: string]: string };
};

export function again(...moments: readonly Moment[]): TickOutcome {
  return { moments, next: 'again' };
}

export function told(...moments: readonly Moment[]): TickOutcome {
  return { moments, next: 'again', restsOnWords: true };
}

export function rest(moments: readonly Moment[] = [], next: Next = done): TickOutcome {
  return { moments, next };
}

/** Said, and tried again after growing delays. */
export function failed(failure: JournalFailure, before: readonly Moment[] = []): TickOutcome {
  return {
    moments: [...before, { kind: 'failed', ...failure }],
    next: { kind: 'failed', error: new Failure('transient', 'UpdateFailed', failure.error) },
  };
}

/** Whether a step stays as it is: all ends, or it went wrong in a way that nobody foresaw, and its undo would too. */
export function isEnd(error: unknown): boolean {
  return !(error instanceof Failure) || error.kind === 'cancelled';
}

/** What people are told of an error; nothing where the daemon, its machine or its power ends, or our own code is wrong. */
export function tellable(error: unknown): string | undefined {
  if (error instanceof Failure) return error.kind === 'cancelled' ? undefined : error.message;
  return error instanceof Bug ? undefined : `unexpected error: ${String(error)}`;
}
