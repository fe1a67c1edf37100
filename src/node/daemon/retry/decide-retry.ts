/**
 * Requests of administrators to try again (`millwright.dev/retry`). Pure.
 *
 *     retry ──> begin-retry: no wait, no count of failures ─┬─────────────────────────────> (answer) ──> the next attempt
 *                                                           └─ force- ──> start-update ──> (journal) ──> (answer)
 *
 * Each is followed once. A plain one only costs an attempt that is due anyway: it is answered once this process has taken it up, and
 * taken up again by the next one where the answer got lost. A forced one drains and reboots the node: it counts as a force file until
 * an update has it in its journal, which survives a power cut, and a note on the disk names it from the end of that update on. So neither a late
 * cache nor a lost answer makes the node reboot once more.
 */
import { FORCE_FILE, parseRetryRequest } from '../../../api/index.ts';
import type { Journal } from '../journal.ts';

export type RetryDecision = {
  readonly kind: 'begin-retry';
  /** The text of the annotation. */
  readonly request: string;
  readonly isForced: boolean;
  /** The update in progress, as if nothing of it had failed yet; absent where that is as it is. */
  readonly journal?: Journal;
};

/** The part of a snapshot that it depends on. */
type RequestFacts = {
  readonly nodeAnnotations: { readonly retry?: RetryAnnotations } | 'deleted' | 'unknown';
  readonly disk: {
    readonly journal?: Journal;
    /** There is a force file. */
    readonly isForced: boolean;
    readonly retried?: string;
  };
};

export type RetryAnnotations = { readonly requested: string; readonly answered: string };

type RetryFacts = RequestFacts & {
  readonly process: { readonly isStartedUp: boolean; readonly retried?: string };
};

export function decideRetry(snapshot: RetryFacts): RetryDecision | undefined {
  const pending = pendingRequest(snapshot);
  if (pending === undefined || pending.text === snapshot.process.retried) return undefined;
  const { text: request, isForced } = pending;
  const journal = snapshot.process.isStartedUp ? withoutFailures(snapshot.disk.journal) : undefined;
  return { kind: 'begin-retry', request, isForced, ...(journal === undefined ? {} : { journal }) };
}

/** Whether everything is to be written anew: by a force file, or by a request that no update has taken up yet. */
export function isForced(snapshot: RequestFacts): boolean {
  return snapshot.disk.isForced || pendingRequest(snapshot)?.isForced === true;
}

/** What asks for it, in a log; undefined where nothing does. */
export function forceText(snapshot: RequestFacts): string | undefined {
  if (snapshot.disk.isForced) return `${FORCE_FILE} present`;
  return isForced(snapshot) ? 'an administrator asks for the whole config' : undefined;
}

/** The forced request that an update takes up when it is opened now. */
export function forcedRequest(snapshot: RequestFacts): string | undefined {
  const pending = pendingRequest(snapshot);
  return pending?.isForced === true ? pending.text : undefined;
}

/** The answer that is due; undefined where there is none, and where it is written already. */
export function dueAnswer({ nodeAnnotations, disk, process }: RetryFacts): string | undefined {
  const { requested, answered } = retryOf(nodeAnnotations);
  const request = parseRetryRequest(requested);
  if (request === undefined || requested === answered) return undefined;
  const isTakenUp = request.isForced
    ? requested === disk.journal?.retry || requested === disk.retried
    : requested === process.retried;
  return isTakenUp ? requested : undefined;
}

type Pending = { readonly text: string; readonly isForced: boolean };

/** Neither answered, nor taken up by an update. */
function pendingRequest({ nodeAnnotations, disk }: RequestFacts): Pending | undefined {
  const { requested, answered } = retryOf(nodeAnnotations);
  const request = parseRetryRequest(requested);
  if (request === undefined || [answered, disk.journal?.retry, disk.retried].includes(requested)) {
    return undefined;
  }
  return { text: requested, isForced: request.isForced };
}

function retryOf(nodeAnnotations: RequestFacts['nodeAnnotations']): RetryAnnotations {
  const none = { requested: '', answered: '' };
  return typeof nodeAnnotations === 'string' ? none : (nodeAnnotations.retry ?? none);
}

function withoutFailures(journal: Journal | undefined): Journal | undefined {
  if (journal === undefined || (journal.pullTries === 0 && journal.lostBoots === 0)) return undefined;
  return { ...journal, pullTries: 0, lostBoots: 0 };
}
