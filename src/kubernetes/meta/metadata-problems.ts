/**
 * Validation of the metadata that every object has: a name, and maps of strings with the right syntax.
 */
import type { Problem } from '../../base/errors.ts';
import { byteLength, isObject, own } from '../../base/json.ts';
import { selectorProblems } from './label-selector.ts';
import { checkDnsSubdomain } from './names.ts';

const MAX_NAME_BYTES = 253;

/** Accepts any value: one that is no object lacks its metadata. */
export function metadataProblems(object: unknown): readonly Problem[] {
  const metadata = isObject(object) ? own(object, 'metadata') : undefined;
  if (!isObject(metadata))
    return [{ path: 'metadata.name', message: 'Required value', reason: 'FieldValueRequired' }];
  return [
    ...nameProblems(own(metadata, 'name')),
    ...labelProblems(own(metadata, 'labels')),
    ...mapProblems('metadata.annotations', own(metadata, 'annotations')),
  ];
}

function nameProblems(name: unknown): readonly Problem[] {
  const path = 'metadata.name';
  if (name === undefined || name === null || name === '') {
    return [{ path, message: 'Required value', reason: 'FieldValueRequired' }];
  }
  if (typeof name !== 'string') return [{ path, message: notAText(name), reason: 'FieldValueTypeInvalid' }];
  if (byteLength(name) > MAX_NAME_BYTES) {
    return [
      {
        path,
        message: `Too long: may not be more than ${MAX_NAME_BYTES} bytes`,
        reason: 'FieldValueTooLong',
      },
    ];
  }
  const [demand] = checkDnsSubdomain(name);
  if (demand === undefined) return [];
  return [
    { path, message: `Invalid value: ${JSON.stringify(name)}: ${demand}`, reason: 'FieldValueInvalid' },
  ];
}

function labelProblems(labels: unknown): readonly Problem[] {
  const path = 'metadata.labels';
  const problems = mapProblems(path, labels);
  if (problems.length > 0 || !isObject(labels)) return problems;
  // Labels have the syntax of label selectors, and all of them are strings here.
  return selectorProblems({ matchLabels: labels as { readonly [key: string]: string } }, '').map(
    (problem) => ({
      ...problem,
      path,
    }),
  );
}

/** An unquoted `true` or `1` is the most common mistake here. */
function mapProblems(path: string, map: unknown): readonly Problem[] {
  if (map === undefined || map === null) return [];
  if (!isObject(map))
    return [{ path, message: 'must be a map from texts to texts', reason: 'FieldValueTypeInvalid' }];
  return Object.entries(map)
    .filter(([, value]) => typeof value !== 'string')
    .map(([key, value]) => ({
      path: `${path}.${key}`,
      message: notAText(value),
      reason: 'FieldValueTypeInvalid',
    }));
}

function notAText(value: unknown): string {
  const shown = typeof value === 'object' && value !== null ? 'a list or map' : JSON.stringify(value);
  return `Invalid value: ${shown}: must be a string: put it in quotes`;
}
