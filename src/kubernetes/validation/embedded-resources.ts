/**
 * Embedded resources (`x-kubernetes-embedded-resource`): they must have apiVersion and kind.
 *
 * Their metadata must be an object; the server also validates names and labels in it.
 */

import type { Problem } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { checkDns1035Label } from '../meta/index.ts';
import type { StructuralSchema } from '../schema/index.ts';
import { fieldSchema } from './correlated.ts';
import { childPath } from './list-types.ts';
import { invalidValue, requiredValue } from './problems.ts';

export function checkEmbeddedResources(
  schema: StructuralSchema,
  value: unknown,
  path: string,
): readonly Problem[] {
  if (!holdsResources(schema)) return [];
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return [];
    return value.flatMap((item, index) => checkEmbeddedResources(items, item, `${path}[${index}]`));
  }
  if (!isObject(value)) return [];
  return [
    ...(schema['x-kubernetes-embedded-resource'] ? checkResource(value, path) : []),
    ...Object.keys(value).flatMap((key) => {
      const child = fieldSchema(schema, key);
      return child === undefined
        ? []
        : checkEmbeddedResources(child, value[key], childPath(schema, path, key));
    }),
  ];
}

const holders = new WeakMap<StructuralSchema, boolean>();

/** Whether values of the schema can hold embedded resources; most cannot. */
export function holdsResources(schema: StructuralSchema): boolean {
  const known = holders.get(schema);
  if (known !== undefined) return known;
  const { items, additionalProperties, properties } = schema;
  const found =
    schema['x-kubernetes-embedded-resource'] === true ||
    (items !== undefined && holdsResources(items)) ||
    (isObject(additionalProperties) && holdsResources(additionalProperties)) ||
    (properties !== undefined && Object.values(properties).some(holdsResources));
  holders.set(schema, found);
  return found;
}

function checkResource(value: { readonly [key: string]: unknown }, path: string): readonly Problem[] {
  const at = (key: string): string => (path === '' ? key : `${path}.${key}`);
  const { metadata } = value;
  return [
    ...checkText(value, at, 'apiVersion', badGroupVersion),
    ...checkText(value, at, 'kind', badKind),
    ...(metadata === undefined || isObject(metadata)
      ? []
      : [invalidValue(at('metadata'), metadata, 'must be an object')]),
  ];
}

function checkText(
  value: { readonly [key: string]: unknown },
  at: (key: string) => string,
  key: 'apiVersion' | 'kind',
  check: (text: string) => string | undefined,
): readonly Problem[] {
  const text = Object.hasOwn(value, key) ? value[key] : undefined;
  if (text === undefined) return [requiredValue(at(key), 'must not be empty')];
  if (typeof text !== 'string') return [invalidValue(at(key), text, 'must be a string')];
  const detail = text === '' ? 'must not be empty' : check(text);
  return detail === undefined ? [] : [invalidValue(at(key), text, detail)];
}

function badGroupVersion(text: string): string | undefined {
  return text.split('/').length > 2 ? `unexpected GroupVersion string: ${text}` : undefined;
}

function badKind(text: string): string | undefined {
  const problems = checkDns1035Label(text.toLowerCase());
  if (problems.length === 0) return undefined;
  return `may have mixed case, but should otherwise match: ${problems.join(',')}`;
}
