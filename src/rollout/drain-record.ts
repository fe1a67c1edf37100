/**
 * The record of a drain: the annotation `millwright.dev/drain`, written by the drain controller.
 *
 * It is all the state of a drain. Every time, count and name that a decision needs is in it, so a restarted controller
 * continues where the last one stopped, and people and the node's daemon can read the progress:
 *
 *     {"request":"drain-rendered-worker-1","cordonedBy":"millwright","began":"2025-05-22T14:17:58Z","attempts":2,
 *      "attemptBegan":"2025-05-22T14:20:28Z","lastRefusal":{"namespace":"shop","pod":"web-0","budget":"web",
 *      "message":"Cannot evict pod as it would violate the pod's disruption budget."}}
 *
 * It exists from the first step of a drain until the request to uncordon is answered.
 */

import { isObject, parseJson } from '../base/json.ts';
import { optionalStringAt, valueAt } from '../base/json-fields.ts';
import { formatMilliTimestamp, parseTimestamp } from '../base/text/index.ts';

export type DrainRecord = {
  /** The text of `desiredDrain` to which this belongs. */
  readonly request: string;
  /**
   * Who cordoned the node: only our own cordon is removed. `other`: it was cordoned before the drain. `nobody`: it was
   * uncordoned by someone else after the drain.
   */
  readonly cordonedBy: 'millwright' | 'other' | 'nobody';
  /** When the drain began. Neither restarts nor a second cordon change it. */
  readonly beganMs: number;
  /** The number of attempts, including the present one. */
  readonly attempts: number;
  /** When the present attempt began. */
  readonly attemptBeganMs: number;
  /** The time that was spent before the present attempt (`drain-age.ts`). */
  readonly spentMs?: number;
  /** After a failed attempt: when the next one begins. */
  readonly retryAtMs?: number;
  /** The drain was not needed: the cluster has no other node. */
  readonly isSkipped?: true;
  readonly lastRefusal?: DrainRefusal;
  /** Since when evictions of that pod are refused. */
  readonly refusedSinceMs?: number;
  /** There was a warning about it. */
  readonly isRefusalWarned?: true;
  /** Why the last attempt failed. */
  readonly lastError?: string;
  /** Why the node could not be cordoned or uncordoned. */
  readonly cordonError?: CordonError;
};

type CordonError = { readonly verb: 'cordon' | 'uncordon'; readonly message: string };

/** A refused eviction. */
export type DrainRefusal = {
  readonly namespace: string;
  readonly pod: string;
  /** The disruption budget that blocked it, if any; several are separated by commas. */
  readonly budget?: string;
  /** The server's message. */
  readonly message: string;
};

/** Messages of the server are truncated to this: annotations of a node share 256 KiB. */
const MAX_TEXT_CHARS = 2000;
/** Far above any record that we write; longer ones are ignored. */
const MAX_RECORD_CHARS = 16_384;

export function formatDrainRecord(record: DrainRecord): string {
  const { lastRefusal: refusal, lastError, cordonError } = record;
  return JSON.stringify({
    request: record.request,
    cordonedBy: record.cordonedBy,
    began: formatMilliTimestamp(record.beganMs),
    attempts: record.attempts,
    attemptBegan: formatMilliTimestamp(record.attemptBeganMs),
    ...(record.spentMs === undefined ? {} : { spentMs: record.spentMs }),
    ...(record.retryAtMs === undefined ? {} : { retryAt: formatMilliTimestamp(record.retryAtMs) }),
    ...(record.isSkipped === undefined ? {} : { skipped: true }),
    ...(refusal === undefined ? {} : { lastRefusal: asRecorded(refusal) }),
    ...(record.refusedSinceMs === undefined
      ? {}
      : { refusedSince: formatMilliTimestamp(record.refusedSinceMs) }),
    ...(record.isRefusalWarned === undefined ? {} : { refusalWarned: true }),
    ...(lastError === undefined ? {} : { lastError: cut(lastError) }),
    ...(cordonError === undefined
      ? {}
      : { cordonError: { ...cordonError, message: asRecordedText(cordonError.message) } }),
  });
}

/** `undefined` where the text is not a complete record: a guess could remove a cordon that is not ours. */
export function parseDrainRecord(text: string): DrainRecord | undefined {
  const value = text.length > MAX_RECORD_CHARS ? undefined : parseJson(text);
  const request = optionalStringAt(value, 'request');
  const cordonedBy = (['millwright', 'other', 'nobody'] as const).find(
    (known) => known === optionalStringAt(value, 'cordonedBy'),
  );
  const beganMs = parseTimestamp(valueAt(value, 'began'));
  const attempts = valueAt(value, 'attempts');
  const attemptBeganMs = parseTimestamp(valueAt(value, 'attemptBegan'));
  if (request === undefined || cordonedBy === undefined) return undefined;
  if (beganMs === undefined || attemptBeganMs === undefined || !isCount(attempts)) return undefined;
  const spentMs = valueAt(value, 'spentMs');
  const retryAtMs = parseTimestamp(valueAt(value, 'retryAt'));
  const lastRefusal = refusalOf(valueAt(value, 'lastRefusal'));
  const refusedSinceMs = parseTimestamp(valueAt(value, 'refusedSince'));
  const lastError = optionalStringAt(value, 'lastError');
  const cordonError = cordonErrorOf(valueAt(value, 'cordonError'));
  return {
    request,
    cordonedBy,
    beganMs,
    attempts,
    attemptBeganMs,
    ...(isCount(spentMs) ? { spentMs } : {}),
    ...(retryAtMs === undefined ? {} : { retryAtMs }),
    ...(valueAt(value, 'skipped') === true ? { isSkipped: true } : {}),
    ...(lastRefusal === undefined ? {} : { lastRefusal }),
    ...(refusedSinceMs === undefined ? {} : { refusedSinceMs }),
    ...(valueAt(value, 'refusalWarned') === true ? { isRefusalWarned: true } : {}),
    ...(lastError === undefined ? {} : { lastError }),
    ...(cordonError === undefined ? {} : { cordonError }),
  };
}

/** As it is stored: with its message truncated. */
export function asRecorded(refusal: DrainRefusal): DrainRefusal {
  return { ...refusal, message: cut(refusal.message) };
}

/** As it is stored: truncated. */
export function asRecordedText(message: string): string {
  return cut(message);
}

function refusalOf(value: unknown): DrainRefusal | undefined {
  const namespace = optionalStringAt(value, 'namespace');
  const pod = optionalStringAt(value, 'pod');
  const message = optionalStringAt(value, 'message');
  if (!isObject(value) || namespace === undefined || pod === undefined || message === undefined) {
    return undefined;
  }
  const budget = optionalStringAt(value, 'budget');
  return { namespace, pod, ...(budget === undefined ? {} : { budget }), message };
}

function cordonErrorOf(value: unknown): CordonError | undefined {
  const verb = (['cordon', 'uncordon'] as const).find((known) => known === optionalStringAt(value, 'verb'));
  const message = optionalStringAt(value, 'message');
  return verb === undefined || message === undefined ? undefined : { verb, message };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function cut(text: string): string {
  return text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}…` : text;
}
