/**
 * From an object that a client wants to the one that is written for the first time: its name, what the server says
 * of it, its owners, and whether it is right.
 */

import type { JsonObject } from '../../../base/json.ts';
import { apiVersionOf } from '../../../kubernetes/meta/index.ts';
import { updateManagedFields } from '../../patch/index.ts';
import { dedupOwnerReferences, objectMetaProblems, type Resource } from '../../resources/index.ts';
import { badRequest, invalid } from '../../status/index.ts';
import type { Attempt } from '../admission.ts';
import { nowText, type World, writeContext } from '../call.ts';
import { statusKind } from '../store/records.ts';
import { metadataOf, withMetadata } from '../store/stored-object.ts';
import { limitForOwners } from './size-limit.ts';

export type Creation = Omit<Attempt, 'operation' | 'object' | 'oldObject' | 'name' | 'subresource'> & {
  readonly object: JsonObject;
  readonly manager: string;
  /** How much the client sent; absent where no client did. */
  readonly sentBytes?: number;
  /** Server-side apply has settled who owns what. */
  readonly hasOwners?: boolean;
};

/** Throws a `StatusError` where the object must not be. */
export function completeCreate(world: World, creation: Creation): JsonObject {
  const { resource } = creation;
  const named = withName(world, creation);
  const { name } = metadataOf(named);
  const attempt = { ...creation, operation: 'CREATE' as const, subresource: '', name, object: named };
  const admitted = world.gate.enterWrite(attempt);
  const distinct = dedupOwnerReferences(admitted);
  for (const text of distinct.warnings) creation.warnings.push(text);
  const stamped = withMetadata(distinct.object, {
    uid: world.env.random.uuid(),
    creationTimestamp: nowText(world),
  });
  const context = writeContext(world, resource);
  const prepared = resource.strategy.prepareForCreate(stamped, context);
  const clashes = resource.strategy.validateAgainstOthers?.(prepared, undefined, context.others()) ?? [];
  if (clashes.length > 0) throw invalid(statusKind(resource, prepared), name, clashes);
  const problems = [...objectMetaProblems(prepared, resource), ...resource.strategy.validateCreate(prepared)];
  if (problems.length > 0) throw invalid(statusKind(resource, prepared), name, problems);
  // What the server itself has filled in since is not the client's.
  const object =
    creation.hasOwners === true ? prepared : withOwnersOf(world, creation, { sent: named, prepared });
  for (const text of resource.strategy.warnings(object, undefined)) creation.warnings.push(text);
  world.gate.leave({ ...attempt, object });
  return object;
}

/** The namespace of the path, and a name made up where only its beginning is given. */
function withName(world: World, { resource, object, namespace }: Creation): JsonObject {
  const metadata = metadataOf(object);
  const placed = withMetadata(withNamespace(resource, object, namespace), NOT_FOR_CLIENTS);
  if (metadata.name !== '' || (metadata.generateName ?? '') === '') return placed;
  return withMetadata(placed, { name: generatedName(world, metadata.generateName ?? '') });
}

/** What only the server says of a new object. */
const NOT_FOR_CLIENTS = {
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

/** No vowels and no digits that look like letters: no words come out. */
const NAME_CHARACTERS = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MAX_GENERATED_LENGTH = 63;

function generatedName({ env }: World, prefix: string): string {
  const kept = prefix.slice(0, MAX_GENERATED_LENGTH - SUFFIX_LENGTH);
  const suffix = Array.from({ length: SUFFIX_LENGTH }, () =>
    NAME_CHARACTERS.charAt(Math.floor(env.random.next() * NAME_CHARACTERS.length)),
  );
  return `${kept}${suffix.join('')}`;
}

/** What an object of a built-in kind holds though nobody has said anything: no one owns that. */
export function emptyObject(resource: Resource): JsonObject | undefined {
  if (resource.origin === 'custom') return undefined;
  const empty = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: {} };
  const decoded = resource.strategy.decode(empty);
  return decoded.kind === 'decoded' ? decoded.object : empty;
}

type Stages = { readonly sent: JsonObject; readonly prepared: JsonObject };

/** To know the owners costs more than all the rest, so that it comes last. */
function withOwnersOf(
  world: World,
  { resource, manager, sentBytes = 0 }: Creation,
  { sent, prepared }: Stages,
): JsonObject {
  const updated = updateManagedFields({
    ...limitForOwners(world, resource, prepared, sentBytes),
    schema: resource.schema,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    manager,
    resetFields: resource.strategy.resetFields,
    now: nowText(world),
    before: emptyObject(resource),
    after: sent,
  });
  // Ownership that cannot be told is no reason to refuse; the server writes it to its log alone.
  for (const { message } of updated.warnings) {
    world.env.log.debug('ownership unknown', { message });
  }
  const { managedFields } = metadataOf(updated.value);
  if (managedFields === metadataOf(prepared).managedFields) return prepared;
  return withMetadata(prepared, { managedFields });
}
