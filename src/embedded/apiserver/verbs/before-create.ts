/**
 * Prepares a new object for the store, as `rest.BeforeCreate`: name, metadata, admission, strategy, validation,
 * managedFields.
 */

import type { JsonObject } from '../../../base/json.ts';
import { apiVersionOf } from '../../../kubernetes/meta/index.ts';
import { updateManagedFields } from '../../patch/index.ts';
import { dedupOwnerReferences, objectMetaProblems, type Resource } from '../../resources/index.ts';
import { badRequest, invalid } from '../../status/index.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { nowText, type ServerContext, writeContext } from '../server-context.ts';
import { statusKind } from '../store/records.ts';
import { metadataOf, withMetadata } from '../store/stored-object.ts';
import { managedFieldsLimit } from './size-limit.ts';

export type Creation = Omit<
  AdmissionAttributes,
  'operation' | 'object' | 'oldObject' | 'name' | 'subresource'
> & {
  readonly object: JsonObject;
  readonly manager: string;
  /** Size of the request body; 0 for objects of the server itself. */
  readonly sentBytes?: number;
  /** Server-side apply has set managedFields already. */
  readonly hasManagedFields?: boolean;
};

/** Throws a `StatusError` if the object is denied or invalid. */
export function beforeCreate(server: ServerContext, creation: Creation): JsonObject {
  const { resource } = creation;
  const named = withName(server, creation);
  const { name } = metadataOf(named);
  const attributes = { ...creation, operation: 'CREATE' as const, subresource: '', name, object: named };
  const admitted = server.admission.admitMutating(attributes);
  const distinct = dedupOwnerReferences(admitted);
  for (const text of distinct.warnings) creation.warnings.push(text);
  const stamped = withMetadata(distinct.object, {
    uid: server.env.random.uuid(),
    creationTimestamp: nowText(server),
  });
  const context = writeContext(server, resource);
  const prepared = resource.strategy.prepareForCreate(stamped, context);
  const clashes = resource.strategy.validateAgainstOthers?.(prepared, undefined, context.others()) ?? [];
  if (clashes.length > 0) throw invalid(statusKind(resource, prepared), name, clashes);
  const problems = [...objectMetaProblems(prepared, resource), ...resource.strategy.validateCreate(prepared)];
  if (problems.length > 0) throw invalid(statusKind(resource, prepared), name, problems);
  // Fields that the server has set since are not owned by the client.
  const object =
    creation.hasManagedFields === true
      ? prepared
      : withManagedFields(server, creation, { sent: named, prepared });
  for (const text of resource.strategy.warnings(object, undefined)) creation.warnings.push(text);
  server.admission.admitValidating({ ...attributes, object });
  return object;
}

/** Sets the namespace of the path, and generates a name from `generateName`. */
function withName(server: ServerContext, { resource, object, namespace }: Creation): JsonObject {
  const metadata = metadataOf(object);
  const placed = withMetadata(withNamespace(resource, object, namespace), SERVER_FIELDS);
  if (metadata.name !== '' || (metadata.generateName ?? '') === '') return placed;
  return withMetadata(placed, { name: generatedName(server, metadata.generateName ?? '') });
}

/** Fields that clients cannot set. */
const SERVER_FIELDS = {
  uid: undefined,
  creationTimestamp: undefined,
  deletionTimestamp: undefined,
  deletionGracePeriodSeconds: undefined,
  selfLink: undefined,
};

export function withNamespace(resource: Resource, object: JsonObject, namespace: string): JsonObject {
  const { namespace: given = '' } = metadataOf(object);
  if (resource.scope === 'Cluster') {
    return withMetadata(object, { namespace: undefined });
  }
  if (given !== '' && given !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return withMetadata(object, { namespace });
}

/** The alphabet of Kubernetes, without vowels, to avoid accidental words. */
const NAME_CHARACTERS = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MAX_GENERATED_LENGTH = 63;

function generatedName({ env }: ServerContext, prefix: string): string {
  const kept = prefix.slice(0, MAX_GENERATED_LENGTH - SUFFIX_LENGTH);
  const suffix = Array.from({ length: SUFFIX_LENGTH }, () =>
    NAME_CHARACTERS.charAt(Math.floor(env.random.next() * NAME_CHARACTERS.length)),
  );
  return `${kept}${suffix.join('')}`;
}

/** The object that decoding makes of an empty one of a built-in kind; its fields have no manager. */
export function emptyObject(resource: Resource): JsonObject | undefined {
  if (resource.origin === 'custom') return undefined;
  const empty = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: {} };
  const decoded = resource.strategy.decode(empty);
  return decoded.kind === 'decoded' ? decoded.object : empty;
}

type Stages = { readonly sent: JsonObject; readonly prepared: JsonObject };

/** Computing managedFields costs more than all the rest, so it comes last. */
function withManagedFields(
  server: ServerContext,
  { resource, manager, sentBytes = 0 }: Creation,
  { sent, prepared }: Stages,
): JsonObject {
  const updated = updateManagedFields({
    ...managedFieldsLimit(server, resource, prepared, sentBytes),
    schema: resource.schema,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    manager,
    resetFields: resource.strategy.resetFields,
    now: nowText(server),
    before: emptyObject(resource),
    after: sent,
  });
  // As in kube-apiserver, an object whose owners cannot be computed is accepted; only the log shows it.
  for (const { message } of updated.warnings) {
    server.env.log.debug('computing managedFields failed', { message });
  }
  const { managedFields } = metadataOf(updated.value);
  if (managedFields === metadataOf(prepared).managedFields) return prepared;
  return withMetadata(prepared, { managedFields });
}
