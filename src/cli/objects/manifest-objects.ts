/**
 * The objects in manifest files, each with its location. Validation is left to the server.
 */

import { joinPath } from '../../base/errors.ts';
import { isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts';
import { stringAt } from '../../base/json-fields.ts';
import { parseYaml } from '../../base/yaml/index.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';
import type { Ports } from '../ports.ts';
import { type Finding, formatFinding, type Location } from '../render/finding.ts';
import { type InputFile, readInput } from '../render/read-input.ts';
import type { ApiResource } from './api-resource.ts';

export type ManifestObject = {
  readonly object: JsonObject;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Undefined if it has none. */
  readonly namespace: string | undefined;
  readonly location: Location;
};

type ManifestObjects = {
  readonly objects: readonly ManifestObject[];
  /** One line per path that cannot be read. */
  readonly unusable: readonly string[];
  /** One line per document that is not an object. */
  readonly problems: readonly string[];
};

export async function readManifestObjects(paths: readonly string[], ports: Ports): Promise<ManifestObjects> {
  const { files, unusable } = await readInput(paths, ports);
  const { objects, problems } = parseManifestObjects(files);
  return { objects, unusable, problems: problems.map(formatFinding) };
}

type Reading = { readonly objects: ManifestObject[]; readonly problems: Finding[] };

export function parseManifestObjects(files: readonly InputFile[]): Reading {
  const reading: Reading = { objects: [], problems: [] };
  for (const { name: file, text, isNamed } of files) {
    const outcome = parseYaml(text);
    if (outcome.kind === 'invalid') {
      for (const { message } of outcome.problems)
        reading.problems.push({ location: { file }, path: '', message });
      continue;
    }
    for (const document of outcome.value) {
      // Directories also contain other YAML, such as the values of a chart.
      if (!isNamed && !looksLikeObject(document.value)) continue;
      readObject(reading, document.value, { file, document, isOnly: outcome.value.length === 1 });
    }
  }
  return reading;
}

function looksLikeObject(value: Json): boolean {
  return isJsonObject(value) && (own(value, 'apiVersion') !== undefined || own(value, 'kind') !== undefined);
}

function readObject(reading: Reading, value: Json, location: Location): void {
  const refuse = (path: string, message: string) =>
    reading.problems.push({ location: inside(location, path), path, message });
  if (!isJsonObject(value)) {
    refuse('', 'not a Kubernetes object: it must be a map with apiVersion and kind');
    return;
  }
  const [apiVersion, kind] = [stringAt(value, 'apiVersion'), stringAt(value, 'kind')];
  if (apiVersion === '') return void refuse('apiVersion', 'Required value');
  if (kind === '') return void refuse('kind', 'Required value');
  const items = own(value, 'items');
  if (kind.endsWith('List') && Array.isArray(items)) {
    const implied = kind === 'List' ? {} : { apiVersion, kind: kind.slice(0, -'List'.length) };
    for (const [index, item] of items.entries()) {
      readObject(
        reading,
        isJsonObject(item) ? { ...implied, ...item } : item,
        inside(location, `items[${index}]`),
      );
    }
    return;
  }
  const name = nameOf(value);
  if (name === '') return void refuse('metadata.name', 'Required value');
  reading.objects.push({
    object: value,
    apiVersion,
    kind,
    name,
    namespace: stringAt(value, 'metadata', 'namespace') || undefined,
    location: { ...location, path: location.path ?? '' },
  });
}

/** The location of a field within the object at a location. */
export function inside(location: Location, path: string): Location {
  return { ...location, path: joinPath(location.path ?? '', path) };
}

type NamespaceChoice =
  | { readonly kind: 'here'; readonly namespace: string }
  | { readonly kind: 'elsewhere'; readonly message: string };

/** The namespace of an object: its own, else that of the command line, else the default of the session. */
export function namespaceOf(
  session: { readonly namespace: string },
  { scope }: ApiResource,
  given: ManifestObject,
  { namespace: asked }: { readonly namespace?: string },
): NamespaceChoice {
  if (scope === 'Cluster') return { kind: 'here', namespace: '' };
  const { namespace = asked ?? session.namespace } = given;
  if (asked === undefined || asked === namespace) return { kind: 'here', namespace };
  return { kind: 'elsewhere', message: `its namespace ${namespace} does not match --namespace ${asked}` };
}
