/**
 * Validation of files in volumes: the keys or fields that they are made from, and their modes.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { objectAt, objectsAt, optionalNumberAt, stringAt } from '../../../base/json-fields.ts';
import { invalid, invalidText, required } from '../field-problems.ts';
import { fieldReferenceProblems, resourceReferenceProblems, VOLUME_FIELDS } from './environment-problems.ts';
import { fileNamePathProblems } from './volume-paths.ts';

/** Validates the mapping from keys to files. */
export function keyProblems(source: JsonObject, path: string): readonly Problem[] {
  return objectsAt(source, 'items').flatMap((item, index) => {
    const at = `${path}[${index}]`;
    const target = stringAt(item, 'path');
    return [
      ...(stringAt(item, 'key') === '' ? [required(`${at}.key`)] : []),
      ...(target === '' ? [required(`${at}.path`)] : []),
      ...fileNamePathProblems(`${at}.path`, target),
      ...modeProblems(item, 'mode', at),
    ];
  });
}

/** Permission bits only. */
const MAX_MODE = 0o777;

export function modeProblems(source: JsonObject, field: string, path: string): readonly Problem[] {
  const mode = optionalNumberAt(source, field);
  if (mode === undefined || (mode >= 0 && mode <= MAX_MODE)) return [];
  const detail = 'must be a number between 0 and 0777 (octal), both inclusive';
  return [invalid(`${path}.${field}`, String(mode), detail)];
}

/** Validates downward API items. kube-apiserver omits the index of the item. */
export function downwardItemProblems(source: JsonObject, path: string): readonly Problem[] {
  return objectsAt(source, 'items').flatMap((item) => {
    const target = stringAt(item, 'path');
    return [
      ...(target === '' ? [required(`${path}.path`)] : fileNamePathProblems(`${path}.path`, target)),
      ...downwardFieldProblems(item, path),
      ...modeProblems(item, 'mode', path),
    ];
  });
}

function downwardFieldProblems(item: JsonObject, path: string): readonly Problem[] {
  const field = objectAt(item, 'fieldRef');
  const resource = objectAt(item, 'resourceFieldRef');
  if (field !== undefined) {
    return [
      ...fieldReferenceProblems(field, VOLUME_FIELDS, `${path}.fieldRef`),
      ...(resource === undefined
        ? []
        : [
            invalidText(
              path,
              'resource',
              'fieldRef and resourceFieldRef can not be specified simultaneously',
            ),
          ]),
    ];
  }
  if (resource !== undefined) return resourceReferenceProblems(resource, `${path}.resourceFieldRef`, true);
  return [required(path, 'one of fieldRef and resourceFieldRef is required')];
}
