/** The objects of manifest files. */
import { Failure, formatProblem } from '../base/errors.ts';
import { compareBytes, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { optionalStringAt } from '../base/json-fields.ts';
import { parseYaml } from '../base/yaml/index.ts';

export type ManifestFile = { readonly name: string; readonly objects: readonly JsonObject[] };

/** In the order of the names. Throws a `Failure` (`ManifestUnusable`) that names the file. */
export function parseManifests(texts: ReadonlyMap<string, string>): readonly ManifestFile[] {
  return [...texts]
    .toSorted(([a], [b]) => compareBytes(a, b))
    .map(([name, text]) => {
      const parsed = parseYaml(text);
      if (parsed.kind === 'invalid') throw unusable(name, parsed.problems.map(formatProblem).join('; '));
      return { name, objects: parsed.value.map(({ value }) => objectIn(name, value)) };
    });
}

function objectIn(file: string, value: Json): JsonObject {
  const isNamed = [['apiVersion'], ['kind'], ['metadata', 'name']].every(
    (path) => (optionalStringAt(value, ...path) ?? '') !== '',
  );
  if (isJsonObject(value) && isNamed) return value;
  throw unusable(file, 'an object has no apiVersion, kind or name');
}

function unusable(file: string, why: string): Failure {
  return new Failure('stalled', 'ManifestUnusable', `${file}: ${why}`);
}
