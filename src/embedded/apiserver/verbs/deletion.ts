/**
 * The effect of a deletion on an object: removed at once, marked because of finalizers, or marked with a grace
 * period.
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
  /** `object`: its last state. */
  | { readonly kind: 'gone'; readonly object: JsonObject }
  | { readonly kind: 'marked'; readonly object: JsonObject }
  /** It is being deleted already. */
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

/** Whether an object that is being deleted can be removed from the store. */
export function canFinalize(resource: Resource, object: JsonObject): boolean {
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
  /** `now` plus so many seconds. */
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

/** A repeated deletion. A grace period can only be shortened; without one, the propagation policy can change. */
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
    // The deletion counts as a change of the desired state.
    generation: generation === undefined ? undefined : generation + 1,
  });
}

/** A namespace stays until its contents are deleted: the namespace controller removes the finalizer in its spec. */
function planNamespace(request: DeletionRequest): Deletion {
  const { live, now } = request;
  const status = isObject(live.status) ? live.status : {};
  const finalizers = finalizersAfter(request);
  const object = {
    ...withMetadata(live, {
      deletionTimestamp: now,
      finalizers: finalizers.length === 0 ? undefined : finalizers,
    }),
    // It is JSON, as before.
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

/** By default, the pods of a Job are orphaned. */
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
