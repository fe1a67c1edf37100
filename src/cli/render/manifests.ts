/**
 * Parses manifests into objects: determines their kinds, validates each, and rejects duplicates.
 */

import { findKind, kinds, OS_IMAGE_CONFIG_MAP } from '../../api/index.ts';
import { joinPath, type Problem } from '../../base/errors.ts';
import { isJsonObject, isObject, type Json, type JsonObject, own } from '../../base/json.ts';
import { nearestName } from '../../base/text/index.ts';
import { parseYaml } from '../../base/yaml/index.ts';
import {
  type AnyKind,
  apiVersionOf,
  metadataProblems,
  nameOf,
  namespaceOf,
} from '../../kubernetes/meta/index.ts';
import { checkObject } from './check-object.ts';
import { type Finding, formatLocation, type Location } from './finding.ts';
import type { InputFile } from './read-input.ts';

export type Manifest = {
  /** The name of the kind, unique among our kinds. */
  readonly kind: string;
  readonly name: string;
  readonly object: JsonObject;
  readonly isValid: boolean;
  readonly location: Location;
};

export type Manifests = {
  readonly manifests: readonly Manifest[];
  readonly problems: readonly Finding[];
  /** The kinds of ignored documents, one entry per document. */
  readonly foreignKinds: readonly string[];
  /** The objects of these documents. */
  readonly foreign: readonly JsonObject[];
  /** Files of a directory with documents that are not Kubernetes objects, such as the values of a chart. */
  readonly nonObjectFiles: readonly string[];
  /** Whether a file could not be parsed, so that objects may be missing. */
  readonly isIncomplete: boolean;
};

/** `namespace`: of Millwright, and so of the ConfigMap with the OS images. */
export function readManifests(files: readonly InputFile[], namespace: string): Manifests {
  const reading: Reading = { namespace, manifests: [], problems: [], foreign: [], locations: new Map() };
  const nonObjectFiles = new Set<string>();
  let isIncomplete = false;
  for (const file of files) {
    const outcome = parseYaml(file.text);
    if (outcome.kind === 'invalid') {
      isIncomplete = true;
      reading.problems.push(
        ...outcome.problems.map(({ message }) => ({ location: { file: file.name }, path: '', message })),
      );
      continue;
    }
    for (const document of outcome.value) {
      if (!file.isNamed && isOtherYaml(document.value)) {
        nonObjectFiles.add(file.name);
        continue;
      }
      const isOnly = outcome.value.length === 1;
      readObject(reading, document.value, { file: file.name, document, isOnly });
    }
  }
  const { manifests, problems, foreign } = reading;
  return {
    ...{ manifests, problems, foreign, isIncomplete },
    foreignKinds: foreign.map(({ kind }) => String(kind)),
    nonObjectFiles: [...nonObjectFiles],
  };
}

/** Directories also contain other YAML. A document with any field typical of objects is treated as one. */
function isOtherYaml(value: Json): boolean {
  return !isJsonObject(value) || !OBJECT_FIELDS.some((key) => own(value, key) !== undefined);
}

const OBJECT_FIELDS: readonly string[] = ['apiVersion', 'kind', 'metadata', 'spec', 'items'];

/** The manifest as named in messages. */
export function subjectOf({ kind, name }: Pick<Manifest, 'kind' | 'name'>): string {
  return name === '' ? kind : `${kind}/${name}`;
}

/** A problem of the manifest's object, with its location. */
export function findingIn(manifest: Manifest, { path, message, discreet }: Problem): Finding {
  // Output ends up in CI logs, so secrets must not be printed.
  return {
    location: inside(manifest.location, path),
    subject: subjectOf(manifest),
    path,
    message: discreet ?? message,
  };
}

type Reading = {
  readonly namespace: string;
  readonly manifests: Manifest[];
  readonly problems: Finding[];
  readonly foreign: JsonObject[];
  /** The first location of each object. */
  readonly locations: Map<string, Location>;
};

function readObject(reading: Reading, value: Json, location: Location): void {
  const found = classify(value, reading.namespace);
  switch (found.kind) {
    case 'refused': {
      const { path, message } = found.problem;
      reading.problems.push({ location: inside(location, path), path, message });
      break;
    }
    case 'list':
      readItems(reading, found, location);
      break;
    case 'ours': {
      const { value: object, problems } = checkObject(found.of, found.object);
      // Defaulting turns JSON into JSON.
      add(reading, { kind: found.of.kind, object: object as JsonObject, location }, problems);
      break;
    }
    case 'configMap':
      add(reading, { kind: 'ConfigMap', object: found.object, location }, configMapProblems(found.object));
      break;
    case 'foreign':
      reading.foreign.push(found.object);
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
  | { readonly kind: 'foreign'; readonly object: JsonObject };

function classify(value: Json, namespace: string): Classified {
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
  if (apiVersion === 'v1' && name === 'ConfigMap' && isOSImageConfigMap(value, namespace)) {
    return { kind: 'configMap', object: value };
  }
  const problem = misspelling(apiVersion, name);
  return problem === undefined ? { kind: 'foreign', object: value } : { kind: 'refused', problem };
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Items of a typed list, such as a MachineConfigList, may omit apiVersion and kind. */
function readItems(
  reading: Reading,
  list: { readonly apiVersion: string; readonly name: string; readonly items: readonly Json[] },
  location: Location,
): void {
  const isTyped = list.name !== 'List';
  const implied = isTyped ? { apiVersion: list.apiVersion, kind: list.name.slice(0, -'List'.length) } : {};
  for (const [index, item] of list.items.entries()) {
    const value = isJsonObject(item) ? { ...implied, ...item } : item;
    readObject(reading, value, inside(location, `items[${index}]`));
  }
}

function configMapProblems(object: JsonObject): readonly Problem[] {
  const data = own(object, 'data') ?? {};
  const isTextMap = isObject(data) && Object.values(data).every((item) => typeof item === 'string');
  const problem = { path: 'data', message: 'must be a map of strings to strings' };
  return [...metadataProblems(object), ...(isTextMap ? [] : [problem])];
}

function add(
  reading: Reading,
  found: Pick<Manifest, 'kind' | 'object' | 'location'>,
  problems: readonly Problem[],
): void {
  const { name, namespace } = identityOf(found.object);
  const manifest: Manifest = { ...found, name, isValid: problems.length === 0 };
  reading.problems.push(...problems.map((problem) => findingIn(manifest, problem)));
  // The namespace is part of the identity for namespaced kinds only.
  const key = isNamespaced(found.kind) ? `${found.kind}/${namespace}/${name}` : `${found.kind}/${name}`;
  const first = reading.locations.get(key);
  if (first !== undefined && name !== '') {
    const message = `duplicate: also defined in ${formatLocation(first)}`;
    reading.problems.push(findingIn(manifest, { path: '', message }));
    return;
  }
  reading.locations.set(key, found.location);
  reading.manifests.push(manifest);
}

function isNamespaced(kindName: string): boolean {
  return kinds.some(({ kind, scope }) => kind === kindName && scope === 'Namespaced');
}

function identityOf(object: JsonObject): { readonly name: string; readonly namespace: string } {
  return { name: nameOf(object), namespace: namespaceOf(object) };
}

function isOSImageConfigMap(object: JsonObject, namespace: string): boolean {
  const found = identityOf(object);
  return found.name === OS_IMAGE_CONFIG_MAP && ['', namespace].includes(found.namespace);
}

/**
 * Reports a misspelt group, version or kind, which would otherwise be ignored as a foreign one.
 */
function misspelling(apiVersion: string, kindName: string): Problem | undefined {
  const group = apiVersion.split('/')[0] ?? '';
  const sameKind = kinds.find(({ kind }) => kind === kindName);
  const ours = sameKind === undefined ? undefined : apiVersionOf(sameKind);
  if (
    ours !== undefined &&
    nearestName(group, [ours.split('/')[0] ?? ''], MAX_GROUP_DISTANCE) !== undefined
  ) {
    return { path: 'apiVersion', message: `the apiVersion of ${kindName} is ${ours}` };
  }
  const known = kinds.filter((kind) => apiVersionOf(kind) === apiVersion).map(({ kind }) => kind);
  const nearest = nearestName(kindName, known);
  if (nearest === undefined) return undefined;
  return { path: 'kind', message: `unknown kind ${kindName}: did you mean ${nearest}?` };
}

/** Small, since foreign groups can be similar: `image.openshift.io` has an Image too. */
const MAX_GROUP_DISTANCE = 3;

/** The location of a field within the object at a location. */
function inside(location: Location, path: string): Location {
  return { ...location, path: joinPath(location.path ?? '', path) };
}
