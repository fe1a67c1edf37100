/**
 * Updates an existing object, as `GuaranteedUpdate` of kube-apiserver's storage: read, compute the update, prepare,
 * validate, write. On a conflict it starts again; a client that has sent a resourceVersion gets the conflict as an
 * error.
 */

import type { JsonObject } from '../../../base/json.ts';
import { quoted } from '../../../base/text/index.ts';
import { apiVersionOf } from '../../../kubernetes/meta/index.ts';
import { ignoreTimestampChanges, updateManagedFields } from '../../patch/index.ts';
import { dedupOwnerReferences, objectMetaUpdateProblems, type Resource } from '../../resources/index.ts';
import { badRequest, conflict, invalid, notFound, STALE, unknownError } from '../../status/index.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { sameJson } from '../same-json.ts';
import { nowText, type ServerContext, writeContext } from '../server-context.ts';
import { keyOf, type Live, readObject, statusKind, writtenObject } from '../store/records.ts';
import { metadataOf, withMetadata } from '../store/stored-object.ts';
import { createObject } from './create.ts';
import { canFinalize } from './deletion.ts';
import { managedFieldsLimit, withinSizeLimit } from './size-limit.ts';

/** The requested object. `hasManagedFields`: its managedFields are final. */
export type UpdatedObject = { readonly object: JsonObject; readonly hasManagedFields: boolean };

type Update = Omit<AdmissionAttributes, 'operation' | 'object' | 'oldObject'> & {
  readonly manager: string;
  /** Size of the request body. */
  readonly sentBytes: number;
  /** Called for every attempt; throws a `StatusError` if the update does not apply to the live object. */
  readonly updatedObject: (live: JsonObject | undefined) => UpdatedObject;
  /** Whether a missing object is created. */
  readonly mayCreate: boolean;
};

export type UpdateResult = Live & { readonly isNew: boolean };

/** Enough for many concurrent writers; more would be a bug. */
const MAX_ATTEMPTS = 100;

export async function guaranteedUpdate(server: ServerContext, update: Update): Promise<UpdateResult> {
  const { resource, namespace, name } = update;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const live = readObject(server.store, resource, namespace, name);
    if (live === undefined) {
      if (!update.mayCreate) throw notFound(resource, name);
      const { object, hasManagedFields } = update.updatedObject(undefined);
      checkName(object, name);
      checkNoUid(update, object, hasManagedFields);
      // A resourceVersion has no meaning for a new object.
      const unversioned = update.isDryRun ? object : withMetadata(object, { resourceVersion: undefined });
      const made = await createObject(server, { ...update, object: unversioned, hasManagedFields });
      return { ...made, isNew: true };
    }
    const result = await tryUpdate(server, update, live);
    if (result !== 'conflict') return { ...result, isNew: false };
  }
  throw conflict(resource, name, STALE);
}

/** A UID refers to an object that no longer exists. */
function checkNoUid({ resource, namespace, name }: Update, object: JsonObject, isApplied: boolean): void {
  const { uid = '' } = metadataOf(object);
  if (uid === '') return;
  const why = isApplied
    ? `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
    : otherUidText(resource, { namespace, name }, { uid, liveUid: '' });
  throw conflict(resource, name, why);
}

async function tryUpdate(server: ServerContext, update: Update, live: Live): Promise<Live | 'conflict'> {
  const { resource, namespace, name, isDryRun } = update;
  const updated = update.updatedObject(live.object);
  checkName(updated.object, name);
  checkVersion(resource, updated.object, live);
  const object = beforeUpdate(server, update, live, updated);
  if (sameJson(object, live.object)) return live;
  const key = keyOf(resource, namespace, name);
  if (canFinalize(resource, object)) {
    if (isDryRun) return { object, revision: live.revision };
    const gone = await server.store.commit([{ kind: 'delete', key, expect: live.revision }]);
    if (gone.kind === 'committed') return { object, revision: live.revision };
  } else {
    if (isDryRun) return { object, revision: live.revision };
    const fitted = withinSizeLimit(server, resource, object, {
      keepsManagedFields: updated.hasManagedFields,
    });
    const { value } = fitted;
    const put = await server.store.commit([{ kind: 'put', key, expect: live.revision, value }]);
    if (put.kind === 'committed') {
      const entry = { key, revision: put.revision, value };
      return writtenObject(server, resource, { entry, object: fitted.object });
    }
  }
  // The next attempt reports the conflict if the client has sent a resourceVersion.
  return 'conflict';
}

/** The object must have the name of the path. */
export function checkName(object: JsonObject, name: string): void {
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

/** A resourceVersion that was sent must be the current one. */
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
    // kube-apiserver names the resource here, where elsewhere it names the kind.
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

function beforeUpdate(server: ServerContext, update: Update, live: Live, updated: UpdatedObject): JsonObject {
  const { resource, subresource } = update;
  const subresourceStrategy = subresource === '' ? undefined : resource.strategy.subresources[subresource];
  const sent = withOldIdentity(resource, updated.object, live.object);
  const ownedAsSent = updated.hasManagedFields ? sent : withManagedFields(server, update, live.object, sent);
  const owned = withOldDeletion(ownedAsSent, live.object);
  const attributes = { ...update, operation: 'UPDATE' as const, object: owned, oldObject: live.object };
  const { object: admitted, warnings } = dedupOwnerReferences(server.admission.admitMutating(attributes));
  for (const text of warnings) update.warnings.push(text);
  const context = writeContext(server, resource);
  const prepared =
    subresourceStrategy === undefined
      ? resource.strategy.prepareForUpdate(admitted, live.object, context)
      : subresourceStrategy.prepareForUpdate(admitted, live.object, context);
  const object = ignoreTimestampChanges(live.object, prepared);
  const clashes =
    subresourceStrategy === undefined
      ? resource.strategy.validateAgainstOthers?.(object, live.object, context.others())
      : undefined;
  if (clashes !== undefined && clashes.length > 0)
    throw invalid(statusKind(resource, object), update.name, clashes);
  const problems = [
    ...objectMetaUpdateProblems(
      object,
      live.object,
      resource,
      subresourceStrategy === undefined ? undefined : subresource,
    ),
    ...(subresourceStrategy === undefined
      ? resource.strategy.validateUpdate(object, live.object)
      : subresourceStrategy.validateUpdate(object, live.object)),
  ];
  if (problems.length > 0) throw invalid(statusKind(resource, object), update.name, problems);
  const noted = subresourceStrategy === undefined ? resource.strategy.warnings(object, live.object) : [];
  for (const text of noted) update.warnings.push(text);
  server.admission.admitValidating({ ...attributes, object });
  return object;
}

/** Restores metadata that clients cannot change. */
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

/** A deletion cannot be revoked; one that was sent but not requested fails validation. */
function withOldDeletion(object: JsonObject, live: JsonObject): JsonObject {
  const old = metadataOf(live);
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadataOf(object);
  return withMetadata(object, {
    deletionTimestamp: old.deletionTimestamp ?? deletionTimestamp,
    deletionGracePeriodSeconds: deletionGracePeriodSeconds ?? old.deletionGracePeriodSeconds,
  });
}

function withManagedFields(
  server: ServerContext,
  { resource, subresource, manager, sentBytes }: Update,
  before: JsonObject,
  after: JsonObject,
): JsonObject {
  const { strategy } = resource;
  const resetFields =
    subresource === ''
      ? strategy.resetFields
      : (strategy.subresources[subresource]?.resetFields ?? strategy.resetFields);
  const updated = updateManagedFields({
    ...managedFieldsLimit(server, resource, after, sentBytes),
    schema: resource.schema,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    manager,
    ...(subresource === '' ? {} : { subresource }),
    resetFields,
    // kube-apiserver records the manager of a scale, but not its time.
    now: subresource === 'scale' ? undefined : nowText(server),
    before,
    after,
  });
  return updated.value;
}
