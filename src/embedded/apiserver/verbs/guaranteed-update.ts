/**
 * Changing an object that is there: read, let the client's wish be laid over it, complete, check, write. Who wrote
 * in between makes it start again, or is told to the client where that had named the version it knew.
 */

import type { JsonObject } from '../../../base/json.ts';
import { quoted } from '../../../base/text/index.ts';
import { apiVersionOf } from '../../../kubernetes/meta/index.ts';
import { ignoreTimestampChanges, updateManagedFields } from '../../patch/index.ts';
import { dedupOwnerReferences, objectMetaUpdateProblems, type Resource } from '../../resources/index.ts';
import { badRequest, conflict, invalid, notFound, STALE, unknownError } from '../../status/index.ts';
import type { Attempt } from '../admission.ts';
import { nowText, type World, writeContext } from '../call.ts';
import { sameJson } from '../same-json.ts';
import { keyOf, type Live, readObject, statusKind, writtenObject } from '../store/records.ts';
import { metadataOf, withMetadata } from '../store/stored-object.ts';
import { createObject } from './create.ts';
import { isReadyToGo } from './deletion.ts';
import { fitObject, limitForOwners } from './size-limit.ts';

/** What the object shall be, given what it is. Owners are settled where `hasOwners` says so. */
export type Revised = { readonly object: JsonObject; readonly hasOwners: boolean };

type Change = Omit<Attempt, 'operation' | 'object' | 'oldObject'> & {
  readonly manager: string;
  /** How much the client sent. */
  readonly sentBytes: number;
  /** Called anew for every attempt; throws a `StatusError` where the wish cannot be laid over the object. */
  readonly revise: (live: JsonObject | undefined) => Revised;
  /** Whether an object that is not there may be made. */
  readonly mayCreate: boolean;
};

export type Changed = Live & { readonly isNew: boolean };

/** Enough for many writers on one object; beyond it something is wrong. */
const MAX_ATTEMPTS = 100;

export async function changeObject(world: World, change: Change): Promise<Changed> {
  const { resource, namespace, name } = change;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const live = readObject(world.store, resource, namespace, name);
    if (live === undefined) {
      if (!change.mayCreate) throw notFound(resource, name);
      const { object, hasOwners } = change.revise(undefined);
      refuseOtherName(object, name);
      refuseUid(change, object, hasOwners);
      // A version is the wish to change what is there, and nothing is.
      const unversioned = change.isDryRun ? object : withMetadata(object, { resourceVersion: undefined });
      const made = await createObject(world, { ...change, object: unversioned, hasOwners });
      return { ...made, isNew: true };
    }
    const result = await changeOnce(world, change, live);
    if (result !== 'lost') return { ...result, isNew: false };
  }
  throw conflict(resource, name, STALE);
}

/** Who names a uid means an object that was there, and is no longer. */
function refuseUid({ resource, namespace, name }: Change, object: JsonObject, isApplied: boolean): void {
  const { uid = '' } = metadataOf(object);
  if (uid === '') return;
  const why = isApplied
    ? `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
    : otherUidText(resource, { namespace, name }, { uid, liveUid: '' });
  throw conflict(resource, name, why);
}

async function changeOnce(world: World, change: Change, live: Live): Promise<Live | 'lost'> {
  const { resource, namespace, name, isDryRun } = change;
  const revised = change.revise(live.object);
  refuseOtherName(revised.object, name);
  checkVersion(resource, revised.object, live);
  const object = completeUpdate(world, change, live, revised);
  if (sameJson(object, live.object)) return live;
  const key = keyOf(resource, namespace, name);
  if (isReadyToGo(resource, object)) {
    if (isDryRun) return { object, revision: live.revision };
    const gone = await world.store.commit([{ kind: 'delete', key, expect: live.revision }]);
    if (gone.kind === 'committed') return { object, revision: live.revision };
  } else {
    if (isDryRun) return { object, revision: live.revision };
    const fitted = fitObject(world, resource, object, { keepsOwners: revised.hasOwners });
    const { value } = fitted;
    const put = await world.store.commit([{ kind: 'put', key, expect: live.revision, value }]);
    if (put.kind === 'committed') {
      const entry = { key, revision: put.revision, value };
      return writtenObject(world, resource, { entry, object: fitted.object });
    }
  }
  // Who named the version that it knew is told so in the next attempt.
  return 'lost';
}

/** The name on the URL counts, and the object must say the same. */
export function refuseOtherName(object: JsonObject, name: string): void {
  const { name: given } = metadataOf(object);
  if (given === '') {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (given !== name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  }
}

/** A client that names the version it knows must know the newest. */
function checkVersion(resource: Resource, object: JsonObject, live: Live): void {
  const { resourceVersion = '', uid = '', name } = metadataOf(object);
  const { uid: liveUid = '' } = metadataOf(live.object);
  if (uid !== '' && uid !== liveUid) {
    const { namespace = '' } = metadataOf(live.object);
    throw conflict(resource, name, otherUidText(resource, { namespace, name }, { uid, liveUid }));
  }
  if (resourceVersion === '' || resourceVersion === '0') {
    if (resource.strategy.allowsUnconditionalUpdate) return;
    const problem = {
      path: 'metadata.resourceVersion',
      message: 'Invalid value: 0x0: must be specified for an update',
    };
    // The server names the resource here, where elsewhere it names the kind.
    throw invalid({ group: resource.group, kind: resource.plural }, name, [problem]);
  }
  if (!/^\d+$/.test(resourceVersion)) {
    throw unknownError(`strconv.ParseUint: parsing ${quoted(resourceVersion)}: invalid syntax`);
  }
  if (resourceVersion !== String(live.revision)) throw conflict(resource, name, STALE);
}

export function otherUidText(
  { plural }: Resource,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { uid, liveUid }: { readonly uid: string; readonly liveUid: string },
): string {
  const key = ['/registry', plural, ...(namespace === '' ? [] : [namespace]), name].join('/');
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${liveUid}`;
}

function completeUpdate(world: World, change: Change, live: Live, revised: Revised): JsonObject {
  const { resource, subresource } = change;
  const door = subresource === '' ? undefined : resource.strategy.subresources[subresource];
  const sent = withOldIdentity(resource, revised.object, live.object);
  const ownedAsSent = revised.hasOwners ? sent : withOwners(world, change, live.object, sent);
  const owned = withOldDeletion(ownedAsSent, live.object);
  const attempt = { ...change, operation: 'UPDATE' as const, object: owned, oldObject: live.object };
  const { object: admitted, warnings } = dedupOwnerReferences(world.gate.enterWrite(attempt));
  for (const text of warnings) change.warnings.push(text);
  const context = writeContext(world, resource);
  const prepared =
    door === undefined
      ? resource.strategy.prepareForUpdate(admitted, live.object, context)
      : door.prepareForUpdate(admitted, live.object, context);
  const object = ignoreTimestampChanges(live.object, prepared);
  const clashes =
    door === undefined
      ? resource.strategy.validateAgainstOthers?.(object, live.object, context.others())
      : undefined;
  if (clashes !== undefined && clashes.length > 0)
    throw invalid(statusKind(resource, object), change.name, clashes);
  const problems = [
    ...objectMetaUpdateProblems(object, live.object, resource, door === undefined ? undefined : subresource),
    ...(door === undefined
      ? resource.strategy.validateUpdate(object, live.object)
      : door.validateUpdate(object, live.object)),
  ];
  if (problems.length > 0) throw invalid(statusKind(resource, object), change.name, problems);
  const noted = door === undefined ? resource.strategy.warnings(object, live.object) : [];
  for (const text of noted) change.warnings.push(text);
  world.gate.leave({ ...attempt, object });
  return object;
}

/** What only the server writes stays as it is, whatever the client sent. */
function withOldIdentity(resource: Resource, object: JsonObject, live: JsonObject): JsonObject {
  const old = metadataOf(live);
  const { namespace = '', uid, creationTimestamp } = metadataOf(object);
  if (resource.scope === 'Namespaced' && namespace !== '' && namespace !== old.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return withMetadata(object, {
    namespace: old.namespace,
    uid: uid ?? old.uid,
    creationTimestamp: creationTimestamp ?? old.creationTimestamp,
    generation: old.generation,
    resourceVersion: old.resourceVersion,
    selfLink: undefined,
  });
}

/** Nobody takes back that an object is being deleted; who says so of one that is not is told in the checks. */
function withOldDeletion(object: JsonObject, live: JsonObject): JsonObject {
  const old = metadataOf(live);
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadataOf(object);
  return withMetadata(object, {
    deletionTimestamp: old.deletionTimestamp ?? deletionTimestamp,
    deletionGracePeriodSeconds: deletionGracePeriodSeconds ?? old.deletionGracePeriodSeconds,
  });
}

function withOwners(
  world: World,
  { resource, subresource, manager, sentBytes }: Change,
  before: JsonObject,
  after: JsonObject,
): JsonObject {
  const { strategy } = resource;
  const resetFields =
    subresource === ''
      ? strategy.resetFields
      : (strategy.subresources[subresource]?.resetFields ?? strategy.resetFields);
  const updated = updateManagedFields({
    ...limitForOwners(world, resource, after, sentBytes),
    schema: resource.schema,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    manager,
    ...(subresource === '' ? {} : { subresource }),
    resetFields,
    // The server writes down who scaled, but not when.
    now: subresource === 'scale' ? undefined : nowText(world),
    before,
    after,
  });
  return updated.value;
}
