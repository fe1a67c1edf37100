/**
 * The objects in the files of a command line, each with the place where it stands. What they are is for the server to judge.
 */

import { joinPath } from '../../base/errors.ts';
import { isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts';
import { stringAt } from '../../base/json-fields.ts';
import { parseYaml } from '../../base/yaml/index.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';
import type { Ports } from '../ports.ts';
import { type Finding, formatFinding, type Place } from '../render/finding.ts';
import { type InputFile, readInput } from '../render/read-input.ts';
import type { ApiResource } from './api-resource.ts';

export type GivenObject = {
  readonly object: JsonObject;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Undefined where it names none. */
  readonly namespace: string | undefined;
  readonly place: Place;
};

type GivenObjects = {
  readonly objects: readonly GivenObject[];
  /** Paths that cannot be read, a line for each. */
  readonly unusable: readonly string[];
  /** What is no object, a line for each. */
  readonly problems: readonly string[];
};

export async function readGivenObjects(paths: readonly string[], ports: Ports): Promise<GivenObjects> {
  const { files, unusable } = await readInput(paths, ports);
  const { objects, problems } = givenObjects(files);
  return { objects, unusable, problems: problems.map(formatFinding) };
}

type Reading = { readonly objects: GivenObject[]; readonly problems: Finding[] };

export function givenObjects(files: readonly InputFile[]): Reading {
  const reading: Reading = { objects: [], problems: [] };
  for (const { name: file, text, isNamed } of files) {
    const outcome = parseYaml(text);
    if (outcome.kind === 'invalid') {
      for (const { message } of outcome.problems)
        reading.problems.push({ place: { file }, path: '', message });
      continue;
    }
    for (const document of outcome.value) {
      // Folders hold other YAML too, such as the values of a chart.
      if (!isNamed && !isMeantAsObject(document.value)) continue;
      readObject(reading, document.value, { file, document, isOnly: outcome.value.length === 1 });
    }
  }
  return reading;
}

function isMeantAsObject(value: Json): boolean {
  return isJsonObject(value) && (own(value, 'apiVersion') !== undefined || own(value, 'kind') !== undefined);
}

function readObject(reading: Reading, value: Json, place: Place): void {
  const refuse = (path: string, message: string) =>
    reading.problems.push({ place: inside(place, path), path, message });
  if (!isJsonObject(value)) {
    refuse('', 'not a Kubernetes object: it must be a map with apiVersion and kind');
    return;
  }
  const [apiVersion, kind] = [stringAt(value, 'apiVersion'), stringAt(value, 'kind')];
  if (apiVersion === '') return void refuse('apiVersion', 'Required value: every object has one');
  if (kind === '') return void refuse('kind', 'Required value: every object has one');
  const items = own(value, 'items');
  if (kind.endsWith('List') && Array.isArray(items)) {
    const implied = kind === 'List' ? {} : { apiVersion, kind: kind.slice(0, -'List'.length) };
    for (const [index, item] of items.entries()) {
      readObject(
        reading,
        isJsonObject(item) ? { ...implied, ...item } : item,
        inside(place, `items[${index}]`),
      );
    }
    return;
  }
  const name = nameOf(value);
  if (name === '') return void refuse('metadata.name', `Required value: which ${kind} is meant?`);
  reading.objects.push({
    ...{
      object: value,
      apiVersion,
      kind,
      name,
      namespace: stringAt(value, 'metadata', 'namespace') || undefined,
    },
    place: { ...place, path: place.path ?? '' },
  });
}

/** The place of a field within what stands at the place. */
export function inside(place: Place, path: string): Place {
  return { ...place, path: joinPath(place.path ?? '', path) };
}

type GivenNamespace =
  | { readonly kind: 'here'; readonly namespace: string }
  | { readonly kind: 'elsewhere'; readonly message: string };

/** Where an object belongs: as it says, else as the command line says, else where the session looks. */
export function namespaceOf(
  session: { readonly namespace: string },
  { scope }: ApiResource,
  given: GivenObject,
  { namespace: asked }: { readonly namespace?: string },
): GivenNamespace {
  if (scope === 'Cluster') return { kind: 'here', namespace: '' };
  const { namespace = asked ?? session.namespace } = given;
  if (asked === undefined || asked === namespace) return { kind: 'here', namespace };
  return { kind: 'elsewhere', message: `it belongs to the namespace ${namespace}, not to ${asked}` };
}
