/**
 * What the drain controller notes on a node that it drains: the annotation `millwright.dev/drain`.
 *
 * It is the memory of the drain. Every time, count and name that a decision needs is in it, so a controller that starts
 * anew goes on where the last one stopped, and people and the node's daemon can read what is happening:
 *
 *     {"request":"drain-rendered-worker-1","cordonedBy":"millwright","began":"2025-05-22T14:17:58Z","attempts":2,
 *      "attemptBegan":"2025-05-22T14:20:28Z","lastRefusal":{"namespace":"shop","pod":"web-0","budget":"web",
 *      "message":"Cannot evict pod as it would violate the pod's disruption budget."}}
 *
 * It is there from the moment we answer a request to drain until we have answered the request to uncordon.
 */

import { annotations } from '../api/index.ts';
import { isObject } from '../base/json.ts';
import { optionalStringAt, valueAt } from '../base/json-fields.ts';
import { formatMilliTimestamp, parseTimestamp } from '../base/text/index.ts';
import { annotationOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { isCordoned } from './node-state.ts';

export type DrainRecord = {
  /** The text of `desiredDrain` to which this belongs. */
  readonly request: string;
  /**
   * Whose the cordon is. We take away only our own. `other`: the node was cordoned before we came. `nobody`: somebody
   * uncordoned the node after it was drained.
   */
  readonly cordonedBy: 'millwright' | 'other' | 'nobody';
  /** When we first acted on the request. Neither restarts nor a second cordon move it. */
  readonly beganMs: number;
  /** How often we have set out to evict, this time included. */
  readonly attempts: number;
  /** When the present attempt began. */
  readonly attemptBeganMs: number;
  /** While we wait after a failed attempt: when the next one begins. */
  readonly retryAtMs?: number;
  /** The drain was not needed: the cluster has no other node. */
  readonly isSkipped?: true;
  readonly lastRefusal?: DrainRefusal;
  /** Why the last attempt failed. */
  readonly lastError?: string;
};

/** An eviction that the server did not grant. */
export type DrainRefusal = {
  readonly namespace: string;
  readonly pod: string;
  /** The disruption budget that stood in the way, where one did; several, separated by commas. */
  readonly budget?: string;
  /** What the server said. */
  readonly message: string;
};

/** Texts from elsewhere are cut to this: annotations of a node share 256 KiB. */
const MAX_TEXT_CHARS = 2000;
/** No record of ours comes near; longer ones are not read. */
const MAX_RECORD_CHARS = 16_384;

export function formatDrainRecord(record: DrainRecord): string {
  const { lastRefusal: refusal, lastError } = record;
  return JSON.stringify({
    request: record.request,
    cordonedBy: record.cordonedBy,
    began: formatMilliTimestamp(record.beganMs),
    attempts: record.attempts,
    attemptBegan: formatMilliTimestamp(record.attemptBeganMs),
    ...(record.retryAtMs === undefined ? {} : { retryAt: formatMilliTimestamp(record.retryAtMs) }),
    ...(record.isSkipped === undefined ? {} : { skipped: true }),
    ...(refusal === undefined ? {} : { lastRefusal: asRecorded(refusal) }),
    ...(lastError === undefined ? {} : { lastError: cut(lastError) }),
  });
}

/** `undefined` where the text is no record. Nothing is guessed: half a record would make us uncordon what is not ours. */
export function parseDrainRecord(text: string): DrainRecord | undefined {
  const value = parsedJson(text);
  const request = optionalStringAt(value, 'request');
  const cordonedBy = (['millwright', 'other', 'nobody'] as const).find(
    (known) => known === optionalStringAt(value, 'cordonedBy'),
  );
  const beganMs = parseTimestamp(valueAt(value, 'began'));
  const attempts = valueAt(value, 'attempts');
  const attemptBeganMs = parseTimestamp(valueAt(value, 'attemptBegan'));
  if (request === undefined || cordonedBy === undefined) return undefined;
  if (beganMs === undefined || attemptBeganMs === undefined || !isCount(attempts)) return undefined;
  const retryAtMs = parseTimestamp(valueAt(value, 'retryAt'));
  const lastRefusal = refusalOf(valueAt(value, 'lastRefusal'));
  const lastError = optionalStringAt(value, 'lastError');
  return {
    request,
    cordonedBy,
    beganMs,
    attempts,
    attemptBeganMs,
    ...(retryAtMs === undefined ? {} : { retryAtMs }),
    ...(valueAt(value, 'skipped') === true ? { isSkipped: true } : {}),
    ...(lastRefusal === undefined ? {} : { lastRefusal }),
    ...(lastError === undefined ? {} : { lastError }),
  };
}

export function drainRecordOf(node: Node): DrainRecord | undefined {
  const text = annotationOf(node, annotations.drain);
  return text === undefined ? undefined : parseDrainRecord(text);
}

/** Whether the node is cordoned, and by us: then it holds a place that is ours to use again. */
export function isCordonedByUs(node: Node): boolean {
  return isCordoned(node) && drainRecordOf(node)?.cordonedBy === 'millwright';
}

/** As it is read back: with its text cut. */
export function asRecorded(refusal: DrainRefusal): DrainRefusal {
  return { ...refusal, message: cut(refusal.message) };
}

function parsedJson(text: string): unknown {
  if (text.length > MAX_RECORD_CHARS) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Whoever wrote this was not us; there is no record.
    return undefined;
  }
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

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function cut(text: string): string {
  return text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}…` : text;
}
