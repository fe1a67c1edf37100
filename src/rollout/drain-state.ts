/**
 * The drain handshake as it is recorded on a Node. Everyone who needs to know how far it has come reads it here.
 *
 *     desiredDrain          written by the daemon: `drain-<config>` or `uncordon-<config>`
 *     lastAppliedDrain      written by the drain controller: the same text, once it is done
 *     millwright.dev/drain  written by the drain controller: the record of the drain (`drain-record.ts`)
 */
import { annotations, type DrainRequest, formatDrainRequest, parseDrainRequest } from '../api/index.ts';
import { annotationOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { type DrainRecord, parseDrainRecord } from './drain-record.ts';
import { isCordoned } from './node-state.ts';

/** The texts of request and answer; empty where the annotation is absent. */
export type DrainHandshake = {
  readonly requested: string;
  readonly applied: string;
  /** Of the last drain; an uncordon removes it. */
  readonly record?: DrainRecord | undefined;
};

export type DrainState = DrainHandshake & {
  /** `undefined` where nothing is requested, or nothing that is known. */
  readonly request: DrainRequest | undefined;
  /** Whether a request has not been answered yet. */
  readonly isPending: boolean;
  /** It may belong to an earlier request. */
  readonly record: DrainRecord | undefined;
  /** The record, where it belongs to this request. */
  readonly currentRecord: DrainRecord | undefined;
};

export function drainState(node: Node): DrainState {
  const requested = annotationOf(node, annotations.desiredDrain) ?? '';
  const applied = annotationOf(node, annotations.lastAppliedDrain) ?? '';
  const recorded = annotationOf(node, annotations.drain);
  const record = recorded === undefined ? undefined : parseDrainRecord(recorded);
  return {
    requested,
    applied,
    request: parseDrainRequest(requested),
    isPending: requested !== '' && !isAnswered({ requested, applied, record }),
    record,
    currentRecord: record?.request === requested ? record : undefined,
  };
}

/** How far a request has come. */
export function drainProgress(
  handshake: DrainHandshake,
  request: DrainRequest,
): 'not-requested' | 'pending' | 'applied' {
  if (handshake.requested !== formatDrainRequest(request)) return 'not-requested';
  return isAnswered(handshake) ? 'applied' : 'pending';
}

/**
 * The answer may be that to the same request of before: a drain that was taken back before it was answered leaves the uncordon of the time
 * before it as the last answer. Its record shows that it had begun.
 */
function isAnswered({ requested, applied, record }: DrainHandshake): boolean {
  if (requested !== applied) return false;
  return record === undefined || parseDrainRequest(requested)?.verb !== 'uncordon';
}

/** Whether the last request is to drain, answered or not. */
export function isDrainRequested({ requested }: DrainHandshake): boolean {
  return parseDrainRequest(requested)?.verb === 'drain';
}

/** Whether the node is to be drained now. */
export function isDrainPending(node: Node): boolean {
  const { isPending, request } = drainState(node);
  return isPending && request?.verb === 'drain';
}

/** Whether the node is cordoned, and by the drain controller: then it holds a slot that may be used again. */
export function isCordonedByUs(node: Node): boolean {
  return isCordoned(node) && drainState(node).record?.cordonedBy === 'millwright';
}

/** Whether anything that a drain depends on differs. Compares texts: it runs on every change of every node. */
export function hasDrainChanged(before: Node | undefined, after: Node): boolean {
  const wasCordoned = before !== undefined && isCordoned(before);
  const wasAnnotation = (key: string) => (before === undefined ? undefined : annotationOf(before, key));
  return (
    wasCordoned !== isCordoned(after) || KEYS.some((key) => wasAnnotation(key) !== annotationOf(after, key))
  );
}

const KEYS = [
  ...[annotations.desiredDrain, annotations.lastAppliedDrain, annotations.drain],
  // A drain for another config does not begin.
  annotations.desiredConfig,
] as const;
