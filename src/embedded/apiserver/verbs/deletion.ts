/**
 * What deleting does to an object: gone at once, marked and kept for its finalizers, or given time to end.
 */

import type { Problem } from '../../../base/errors.ts';
import { isObject, type JsonObject, own } from '../../../base/json.ts';
import { parseDateTime, quoted, timeText } from '../../../base/text/index.ts';
import { markDeleted } from '../../crds/index.ts';
import type { Resource } from '../../resources/index.ts';
import { metadataOf, withMetadata } from '../store/stored-object.ts';
import { unsupported } from './query-options.ts';

export type Propagation = 'Orphan' | 'Background' | 'Foreground';

export type DeleteOptions = {
  readonly gracePeriodSeconds: number | undefined;
  readonly propagation: Propagation | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly isDryRun: boolean;
};

type Deletion =
  /** `object`: as it is shown a last time. */
  | { readonly kind: 'gone'; readonly object: JsonObject }
  | { readonly kind: 'marked'; readonly object: JsonObject }
  /** It is on its way already. */
  | { readonly kind: 'unchanged' };

const PROPAGATIONS = ['Foreground', 'Background', 'Orphan', 'nil'];

export function propagationProblems(policy: unknown, orphans: unknown): readonly Problem[] {
  const path = 'propagationPolicy';
  if (policy === undefined || policy === null) return [];
  if (orphans !== undefined && orphans !== null) {
    const message = `Invalid value: ${quoted(String(policy))}: orphanDependents and deletionPropagation cannot be both set`;
    return [{ path, message }];
  }
  if (PROPAGATIONS.slice(0, 3).includes(String(policy))) return [];
  return [unsupported(path, quoted(String(policy)), PROPAGATIONS)];
}

/** Whether nothing holds an object that is being deleted any more. */
export function isReadyToGo(resource: Resource, object: JsonObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = metadataOf(object);
  if (deletionTimestamp === undefined || finalizers.length > 0) return false;
  if (isNamespace(resource)) return contentFinalizers(object).length === 0;
  return deletionGracePeriodSeconds === 0;
}

type DeletionRequest = {
  readonly resource: Resource;
  readonly live: JsonObject;
  readonly options: DeleteOptions;
  /** RFC 3339. */
  readonly now: string;
  /** The same, as many seconds later. */
  readonly later: (seconds: number) => string;
};

export function planDeletion(request: DeletionRequest): Deletion {
  const { resource, live } = request;
  const isFirst = metadataOf(live).deletionTimestamp === undefined;
  if (isNamespace(resource)) return isFirst ? planNamespace(request) : planEmptied(request);
  if (isDefinition(resource) && isFirst) return { kind: 'marked', object: markDeleted(live, request.now) };
  return isFirst ? planFirst(request) : planAgain(request);
}

function planFirst(request: DeletionRequest): Deletion {
  const { resource, live, options } = request;
  const finalizers = finalizersAfter(request);
  const graceful = resource.strategy.gracePeriodSeconds?.(live, options.gracePeriodSeconds) ?? 0;
  if (graceful === 0 && finalizers.length === 0) {
    const isShown = resource.strategy.gracePeriodSeconds !== undefined;
    return { kind: 'gone', object: isShown ? marked(request, [], 0) : live };
  }
  return { kind: 'marked', object: marked(request, finalizers, graceful) };
}

/**
 * Someone has asked before. What takes its time may only be given less of it, and else is left alone; of all else the
 * dependents may be treated in another way.
 */
function planAgain(request: DeletionRequest): Deletion {
  const { resource, live, options } = request;
  const {
    deletionTimestamp = '',
    deletionGracePeriodSeconds = 0,
    finalizers: before = [],
  } = metadataOf(live);
  const finalizers = finalizersAfter(request);
  const changes = { finalizers: finalizers.length === 0 ? undefined : finalizers };
  if (resource.strategy.gracePeriodSeconds === undefined) {
    if (finalizers.length === 0) return { kind: 'gone', object: live };
    const isSame = finalizers.join() === before.join();
    return isSame ? { kind: 'unchanged' } : { kind: 'marked', object: withMetadata(live, changes) };
  }
  const seconds = options.gracePeriodSeconds ?? deletionGracePeriodSeconds;
  if (seconds >= deletionGracePeriodSeconds) return { kind: 'unchanged' };
  const object = withMetadata(live, {
    ...changes,
    deletionTimestamp: earlier(deletionTimestamp, deletionGracePeriodSeconds - seconds),
    deletionGracePeriodSeconds: seconds,
  });
  return { kind: seconds === 0 && finalizers.length === 0 ? 'gone' : 'marked', object };
}

function earlier(time: string, seconds: number): string {
  const nanos = parseDateTime(time);
  return nanos === undefined ? time : timeText(nanos - BigInt(seconds) * 1_000_000_000n);
}

function marked(
  { live, later }: DeletionRequest,
  finalizers: readonly string[],
  graceful: number,
): JsonObject {
  const { generation } = metadataOf(live);
  return withMetadata(live, {
    deletionTimestamp: later(graceful),
    deletionGracePeriodSeconds: graceful,
    finalizers: finalizers.length === 0 ? undefined : finalizers,
    // Being asked to go is a change of what is wanted.
    generation: generation === undefined ? undefined : generation + 1,
  });
}

/** A namespace goes when its contents have; whoever empties it takes off the finalizer in its spec. */
function planNamespace(request: DeletionRequest): Deletion {
  const { live, now } = request;
  const status = isObject(live.status) ? live.status : {};
  const finalizers = finalizersAfter(request);
  const object = {
    ...withMetadata(live, {
      deletionTimestamp: now,
      finalizers: finalizers.length === 0 ? undefined : finalizers,
    }),
    // It was JSON before.
    status: { ...status, phase: 'Terminating' } as JsonObject,
  };
  const isEmpty = contentFinalizers(live).length === 0 && finalizers.length === 0;
  return { kind: isEmpty ? 'gone' : 'marked', object };
}

function planEmptied(request: DeletionRequest): Deletion {
  return contentFinalizers(request.live).length === 0 ? planAgain(request) : { kind: 'unchanged' };
}

function finalizersAfter({ resource, live, options }: DeletionRequest): readonly string[] {
  const { finalizers = [] } = metadataOf(live);
  return withPropagation(finalizers, options.propagation ?? defaultPropagation(resource, finalizers));
}

function isDefinition({ group, plural }: Resource): boolean {
  return group === 'apiextensions.k8s.io' && plural === 'customresourcedefinitions';
}

function contentFinalizers(namespace: JsonObject): readonly unknown[] {
  const finalizers = isObject(namespace.spec) ? own(namespace.spec, 'finalizers') : undefined;
  return Array.isArray(finalizers) ? finalizers : [];
}

function isNamespace({ group, plural }: Resource): boolean {
  return group === '' && plural === 'namespaces';
}

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** Pods outlive the Job that made them unless the client says otherwise. */
function defaultPropagation(
  { group, plural }: Resource,
  finalizers: readonly string[],
): Propagation | undefined {
  if (finalizers.includes(ORPHAN) || finalizers.includes(FOREGROUND)) return undefined;
  return group === 'batch' && plural === 'jobs' ? 'Orphan' : undefined;
}

function withPropagation(
  finalizers: readonly string[],
  propagation: Propagation | undefined,
): readonly string[] {
  if (propagation === undefined) return finalizers;
  const others = finalizers.filter((one) => one !== ORPHAN && one !== FOREGROUND);
  switch (propagation) {
    case 'Orphan':
      return [...others, ORPHAN];
    case 'Foreground':
      return [...others, FOREGROUND];
    case 'Background':
      return others;
  }
}
