/**
 * From an object that a client wants to the one that is written for the first time: its name, what the server says
 * of it, its owners, and whether it is right.
 */
import { apiVersionOf } from '../api/index.ts';
import type { JsonObject } from '../json.ts';
import { updateManaged } from '../patch/index.ts';
import { metadataProblems, type Resource, withDistinctOwners } from '../resources/index.ts';
import { nowText, type World, writeContext } from './call.ts';
import type { Attempt } from './gate.ts';
import { badRequest, invalid, unforeseen } from './refusal.ts';
import { metadataOf, withMetadata } from './stored-object.ts';

export type Creation = Omit<Attempt, 'operation' | 'object' | 'oldObject' | 'name' | 'subresource'> & {
  readonly object: JsonObject;
  readonly manager: string;
  /** Server-side apply has settled who owns what. */
  readonly hasOwners?: boolean;
};

/** Throws a `Refusal` where the object must not be. */
export function completeCreate(world: World, creation: Creation): JsonObject {
  const { resource } = creation;
  const named = withName(world, creation);
  const { name } = metadataOf(named);
  const attempt: Attempt = { ...creation, operation: 'CREATE', subresource: '', name, object: named };
  const owned = creation.hasOwners === true ? named : withOwners(world, creation, named);
  const admitted = world.gate.enterWrite({ ...attempt, object: owned });
  const distinct = withDistinctOwners(admitted);
  creation.warnings.push(...distinct.warnings);
  const stamped = withMetadata(distinct.object, {
    uid: world.env.random.uuid(),
    creationTimestamp: nowText(world),
    generation: undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    selfLink: undefined,
  });
  const object = resource.rules.prepareCreate(stamped, writeContext(world, resource));
  const problems = [...metadataProblems(object, resource), ...resource.rules.checkCreate(object)];
  if (problems.length > 0) throw invalid(resource, metadataOf(object).name, problems);
  creation.warnings.push(...resource.rules.warnings(object, undefined));
  world.gate.leave({ ...attempt, object });
  return object;
}

/** The namespace of the path, and a name made up where only its beginning is given. */
function withName(world: World, { resource, object, namespace }: Creation): JsonObject {
  const metadata = metadataOf(object);
  if ((metadata.resourceVersion ?? '') !== '') {
    throw unforeseen('resourceVersion should not be set on objects to be created');
  }
  const placed = withNamespace(resource, object, namespace);
  if (metadata.name !== '' || (metadata.generateName ?? '') === '') return placed;
  return withMetadata(placed, { name: generatedName(world, metadata.generateName ?? '') });
}

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
function emptyObject(resource: Resource): JsonObject | undefined {
  if (resource.origin === 'custom') return undefined;
  const empty = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: {} };
  const decoded = resource.rules.decode(empty);
  return decoded.kind === 'decoded' ? decoded.object : empty;
}

function withOwners(world: World, { resource, manager }: Creation, object: JsonObject): JsonObject {
  const updated = updateManaged({
    schema: resource.schema,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    manager,
    resetFields: resource.rules.resetFields,
    now: nowText(world),
    before: emptyObject(resource),
    after: object,
  });
  if (updated.kind === 'invalid') return object;
  // Ownership that cannot be told is no reason to refuse; the server writes it to its log alone.
  for (const { message } of updated.warnings) world.env.log.debug('ownership unknown', { message });
  return updated.value;
}
