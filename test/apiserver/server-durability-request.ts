/**
 * The writes that clients request. Each puts its id in all the parts of an object that it touches, so that a partial
 * write is detected, and defines the expected object.
 */
import { isObject } from '../../src/base/json.ts';
import type { AskOptions, Method } from '../contract/http-client.ts';
import { type Loose, textOf, versionOf } from '../contract/loose.ts';
import { configMap, type Fields } from '../contract/objects.ts';
import type { Dice } from './server-durability-random.ts';

export const NAMESPACE = 'durability';
/** A ConfigMap that is never deleted. */
export const MARKER = 'marker';

export type Collection = {
  readonly path: string;
  /** Which write made the object as it is. */
  readonly idOf: (object: Loose) => Loose | undefined;
  /** All that clients decide; the rest is the server's. */
  readonly contentOf: (object: Loose) => Fields;
};

export const CONFIG_MAPS: Collection = {
  path: `/api/v1/namespaces/${NAMESPACE}/configmaps`,
  idOf: ({ data }) => data?.id,
  contentOf: ({ metadata, data }) => ({ labels: metadata?.labels, data }),
};

export const POOLS: Collection = {
  path: '/apis/machineconfiguration.openshift.io/v1/machineconfigpools',
  idOf: ({ status }) => status?.configuration?.name,
  contentOf: ({ metadata, spec, status }) => ({ generation: metadata?.generation, spec, status }),
};

export type WriteRequest = {
  readonly id: string;
  readonly verb: 'create' | 'update' | 'patch' | 'delete';
  readonly collection: Collection;
  readonly name: string;
  readonly method: Method;
  readonly path: string;
  readonly options: AskOptions;
  /** The preconditions, if any. */
  readonly demands: { readonly version?: string; readonly uid?: string };
  /** The content that follows from the one before. */
  readonly after: (before: Fields) => Fields;
};

type Target = { readonly id: string; readonly name: string };

export function createMap({ id, name }: Target, dice: Dice): WriteRequest {
  const labels = { write: id };
  const data = { id, text: textFor(id, dice), end: id };
  return {
    id,
    verb: 'create',
    collection: CONFIG_MAPS,
    name,
    method: 'POST',
    path: CONFIG_MAPS.path,
    options: { body: configMap(name, data, { labels }) },
    demands: {},
    after: () => ({ labels, data }),
  };
}

/** With the version that is known, or over whatever is there. */
export function updateMap({ id, name }: Target, dice: Dice, known: Loose | undefined): WriteRequest {
  const labels = { write: id };
  const data = { id, text: textFor(id, dice), [dice.pick(EXTRAS)]: id, end: id };
  const version = known === undefined || dice.between(0, 2) === 0 ? undefined : versionOf(known);
  const metadata = { labels, ...(version === undefined ? {} : { resourceVersion: version }) };
  return {
    id,
    verb: 'update',
    collection: CONFIG_MAPS,
    name,
    method: 'PUT',
    path: pathOf(CONFIG_MAPS, name),
    options: { body: configMap(name, data, metadata) },
    after: () => ({ labels, data }),
    demands: version === undefined ? {} : { version },
  };
}

/** Sets some keys, removes some, and leaves the others. */
export function patchMap({ id, name }: Target, dice: Dice): WriteRequest {
  const labels = { write: id };
  const extras = { [dice.pick(EXTRAS)]: id, [dice.pick(EXTRAS)]: null };
  const data = { id, text: textFor(id, dice), ...extras, end: id };
  const body = { metadata: { labels }, data };
  return {
    id,
    verb: 'patch',
    collection: CONFIG_MAPS,
    name,
    method: 'PATCH',
    path: pathOf(CONFIG_MAPS, name),
    options: { body, contentType: MERGE_PATCH },
    demands: {},
    after: (before) => mergedObject(before, { labels, data }),
  };
}

export function deleteMap({ id, name }: Target, dice: Dice, known: Loose | undefined): WriteRequest {
  const uid = known === undefined || dice.between(0, 2) === 0 ? undefined : textOf(known.metadata?.uid);
  return {
    id,
    verb: 'delete',
    collection: CONFIG_MAPS,
    name,
    method: 'DELETE',
    path: pathOf(CONFIG_MAPS, name),
    options: uid === undefined ? {} : { body: { preconditions: { uid } } },
    demands: uid === undefined ? {} : { uid },
    after: (before) => before,
  };
}

export function patchPoolStatus({ id, name }: Target, dice: Dice): WriteRequest {
  const count = dice.between(0, 1000);
  const status = {
    configuration: { name: id, source: [{ name: id }] },
    machineCount: count,
    [dice.pick(COUNTS)]: count,
    [dice.pick(COUNTS)]: null,
    conditions: [{ type: 'Updated', status: 'True', reason: 'Durable', message: textFor(id, dice) }],
  };
  return {
    id,
    verb: 'patch',
    collection: POOLS,
    name,
    method: 'PATCH',
    path: `${pathOf(POOLS, name)}/status`,
    options: { body: { status }, contentType: MERGE_PATCH },
    demands: {},
    after: (before) => mergedObject(before, { status }),
  };
}

export function pathOf({ path }: Collection, name: string): string {
  return `${path}/${name}`;
}

const MERGE_PATCH = 'application/merge-patch+json';
const EXTRAS = ['extra-1', 'extra-2', 'extra-3'] as const;
const COUNTS = ['updatedMachineCount', 'readyMachineCount', 'degradedMachineCount'] as const;
/** Some pages of the store. */
const MAX_TEXT_LENGTH = 9_000;

function textFor(id: string, dice: Dice): string {
  const length = dice.between(0, 4) === 0 ? dice.between(1, MAX_TEXT_LENGTH) : dice.between(1, 500);
  return `${id} `.repeat(Math.ceil(length / (id.length + 1))).slice(0, length);
}

/** RFC 7386, once more and naively: the server's own code proves nothing about the server. */
function mergedObject(before: Fields, patch: Fields): Fields {
  const after = new Map(Object.entries(before));
  for (const [key, value] of Object.entries(patch)) {
    const old = after.get(key);
    if (value === null) after.delete(key);
    else after.set(key, isObject(value) ? mergedObject(isObject(old) ? old : {}, value) : value);
  }
  return Object.fromEntries(after);
}
