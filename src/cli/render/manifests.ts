/**
 * From texts to objects: which kinds they are, whether each is right by itself, and whether any is there twice.
 */

import { findKind, kinds } from '../../api/index.ts';
import { joinPath, type Problem } from '../../base/errors.ts';
import { isJsonObject, isObject, type Json, type JsonObject, own } from '../../base/json.ts';
import { parseYaml } from '../../base/yaml/index.ts';
import {
  type AnyKind,
  apiVersionOf,
  metadataProblems,
  nameOf,
  namespaceOf,
} from '../../kubernetes/meta/index.ts';
import { nearestName } from '../nearest-name.ts';
import { checkObject } from './check-object.ts';
import { type Finding, formatPlace, type Place } from './finding.ts';
import type { InputFile } from './read-input.ts';

export type Manifest = {
  /** The kind's name, which no two of our kinds share. */
  readonly kind: string;
  readonly name: string;
  readonly object: JsonObject;
  readonly isValid: boolean;
  readonly place: Place;
};

export type Manifests = {
  readonly manifests: readonly Manifest[];
  readonly problems: readonly Finding[];
  /** The kinds of documents that are not for us, one entry for each document. */
  readonly foreignKinds: readonly string[];
  /** Files of a folder with documents that are no Kubernetes objects at all, such as the values of a chart. */
  readonly strangers: readonly string[];
  /** Whether a file could not be read as YAML, so that objects may be missing. */
  readonly isIncomplete: boolean;
};

export function readManifests(files: readonly InputFile[]): Manifests {
  const reading: Reading = { manifests: [], problems: [], foreignKinds: [], places: new Map() };
  const strangers = new Set<string>();
  let isIncomplete = false;
  for (const file of files) {
    const outcome = parseYaml(file.text);
    if (outcome.kind === 'invalid') {
      isIncomplete = true;
      reading.problems.push(
        ...outcome.problems.map(({ message }) => ({ place: { file: file.name }, path: '', message })),
      );
      continue;
    }
    for (const document of outcome.value) {
      if (!file.isNamed && isNoObject(document.value)) {
        strangers.add(file.name);
        continue;
      }
      const isOnly = outcome.value.length === 1;
      readObject(reading, document.value, { file: file.name, document, isOnly });
    }
  }
  const { manifests, problems, foreignKinds } = reading;
  return { manifests, problems, foreignKinds, strangers: [...strangers], isIncomplete };
}

/** Folders hold other YAML too. Whatever has one of the marks of an object is meant to be one. */
function isNoObject(value: Json): boolean {
  return !isJsonObject(value) || !OBJECT_MARKS.some((key) => own(value, key) !== undefined);
}

const OBJECT_MARKS: readonly string[] = ['apiVersion', 'kind', 'metadata', 'spec', 'items'];

/** The name of a manifest as messages write it. */
export function subjectOf({ kind, name }: Pick<Manifest, 'kind' | 'name'>): string {
  return name === '' ? kind : `${kind}/${name}`;
}

/** A problem of the manifest's object, with its line. */
export function findingIn(manifest: Manifest, { path, message, discreet }: Problem): Finding {
  // What a command prints ends up in the logs of a pipeline.
  return {
    place: inside(manifest.place, path),
    subject: subjectOf(manifest),
    path,
    message: discreet ?? message,
  };
}

export const OS_IMAGE_CONFIG_MAP = 'machine-config-osimageurl';
const OPERATOR_NAMESPACE = 'openshift-machine-config-operator';

type Reading = {
  readonly manifests: Manifest[];
  readonly problems: Finding[];
  readonly foreignKinds: string[];
  /** Where each object was seen first. */
  readonly places: Map<string, Place>;
};

function readObject(reading: Reading, value: Json, place: Place): void {
  const found = classify(value);
  switch (found.kind) {
    case 'refused': {
      const { path, message } = found.problem;
      reading.problems.push({ place: inside(place, path), path, message });
      break;
    }
    case 'list':
      readItems(reading, found, place);
      break;
    case 'ours': {
      const { value: object, problems } = checkObject(found.of, found.object);
      // Filling in defaults turns JSON into JSON.
      add(reading, { kind: found.of.kind, object: object as JsonObject, place }, problems);
      break;
    }
    case 'configMap':
      add(reading, { kind: 'ConfigMap', object: found.object, place }, configMapProblems(found.object));
      break;
    case 'foreign':
      reading.foreignKinds.push(found.name);
  }
}

type Classified =
  | { readonly kind: 'refused'; readonly problem: Problem }
  | {
      readonly kind: 'list';
      readonly apiVersion: string;
      readonly name: string;
      readonly items: readonly Json[];
    }
  | { readonly kind: 'ours'; readonly of: AnyKind; readonly object: JsonObject }
  | { readonly kind: 'configMap'; readonly object: JsonObject }
  | { readonly kind: 'foreign'; readonly name: string };

function classify(value: Json): Classified {
  const refused = (path: string, message: string): Classified => ({
    kind: 'refused',
    problem: { path, message },
  });
  if (!isJsonObject(value)) {
    return refused('', 'not a Kubernetes object: it must be a map with apiVersion and kind');
  }
  const apiVersion = own(value, 'apiVersion');
  const name = own(value, 'kind');
  if (typeof apiVersion !== 'string' || typeof name !== 'string') {
    const missing = typeof apiVersion === 'string' ? 'kind' : 'apiVersion';
    return refused(missing, 'Required value: every Kubernetes object has an apiVersion and a kind');
  }
  const items = value.items;
  if (name.endsWith('List') && isList(items)) return { kind: 'list', apiVersion, name, items };
  const of = findKind(apiVersion, name);
  if (of !== undefined) return { kind: 'ours', of, object: value };
  if (apiVersion === 'v1' && name === 'ConfigMap' && isOSImageConfigMap(value)) {
    return { kind: 'configMap', object: value };
  }
  const problem = slipIn(apiVersion, name);
  return problem === undefined ? { kind: 'foreign', name } : { kind: 'refused', problem };
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Items of a typed list, such as a MachineConfigList, may leave out what the list says already. */
function readItems(
  reading: Reading,
  list: { readonly apiVersion: string; readonly name: string; readonly items: readonly Json[] },
  place: Place,
): void {
  const isTyped = list.name !== 'List';
  const implied = isTyped ? { apiVersion: list.apiVersion, kind: list.name.slice(0, -'List'.length) } : {};
  for (const [index, item] of list.items.entries()) {
    const value = isJsonObject(item) ? { ...implied, ...item } : item;
    readObject(reading, value, inside(place, `items[${index}]`));
  }
}

function configMapProblems(object: JsonObject): readonly Problem[] {
  const data = own(object, 'data') ?? {};
  const isTextMap = isObject(data) && Object.values(data).every((item) => typeof item === 'string');
  const problem = { path: 'data', message: 'must be a map from texts to texts' };
  return [...metadataProblems(object), ...(isTextMap ? [] : [problem])];
}

function add(
  reading: Reading,
  found: Pick<Manifest, 'kind' | 'object' | 'place'>,
  problems: readonly Problem[],
): void {
  const { name, namespace } = identityOf(found.object);
  const manifest: Manifest = { ...found, name, isValid: problems.length === 0 };
  reading.problems.push(...problems.map((problem) => findingIn(manifest, problem)));
  // Only for kinds that live in namespaces does the namespace tell two objects apart.
  const key = isNamespaced(found.kind) ? `${found.kind}/${namespace}/${name}` : `${found.kind}/${name}`;
  const first = reading.places.get(key);
  if (first !== undefined && name !== '') {
    const message = `is there twice: also in ${formatPlace(first)}`;
    reading.problems.push(findingIn(manifest, { path: '', message }));
    return;
  }
  reading.places.set(key, found.place);
  reading.manifests.push(manifest);
}

function isNamespaced(kindName: string): boolean {
  return kinds.some(({ kind, scope }) => kind === kindName && scope === 'Namespaced');
}

function identityOf(object: JsonObject): { readonly name: string; readonly namespace: string } {
  return { name: nameOf(object), namespace: namespaceOf(object) };
}

function isOSImageConfigMap(object: JsonObject): boolean {
  const { name, namespace } = identityOf(object);
  return name === OS_IMAGE_CONFIG_MAP && (namespace === '' || namespace === OPERATOR_NAMESPACE);
}

/**
 * A misspelt group, version or kind of ours would otherwise be taken for somebody else's, and silently play
 * no part.
 */
function slipIn(apiVersion: string, kindName: string): Problem | undefined {
  const group = apiVersion.split('/')[0] ?? '';
  const sameKind = kinds.find(({ kind }) => kind === kindName);
  const ours = sameKind === undefined ? undefined : apiVersionOf(sameKind);
  if (ours !== undefined && nearestName(group, [ours.split('/')[0] ?? ''], MAX_GROUP_SLIPS) !== undefined) {
    return { path: 'apiVersion', message: `${kindName} is known as ${ours} only` };
  }
  const known = kinds.filter((kind) => apiVersionOf(kind) === apiVersion).map(({ kind }) => kind);
  const nearest = nearestName(kindName, known);
  if (nearest === undefined) return undefined;
  return { path: 'kind', message: `unknown kind ${kindName}: did you mean ${nearest}?` };
}

/** Other people's groups can be close to ours: `image.openshift.io` has an Image too. */
const MAX_GROUP_SLIPS = 3;

/** The place of a field within what stands at the place. */
function inside(place: Place, path: string): Place {
  return { ...place, path: joinPath(place.path ?? '', path) };
}
