/**
 * Validation of the `x-kubernetes-*` extensions: list and map types, and preserved unknown fields.
 */
import type { Problem } from '../../base/errors.ts';
import { quoted } from '../../base/text/index.ts';
import { forbidden, goStrings, invalid, invalidText, required, unsupportedText } from '../resources/index.ts';
import { itemsOf, propertyOf, type SchemaProps } from './crd.ts';
import { goSchemaList } from './go-values.ts';

const LIST_TYPE = 'x-kubernetes-list-type';
const LIST_KEYS = 'x-kubernetes-list-map-keys';
const MAP_TYPE = 'x-kubernetes-map-type';
const PRESERVE = 'x-kubernetes-preserve-unknown-fields';

export function extensionProblems(schema: SchemaProps, path: string): readonly Problem[] {
  return [
    ...(schema[PRESERVE] === false
      ? [invalid(`${path}.${PRESERVE}`, 'false', 'must be true or undefined')]
      : []),
    ...mapTypeProblems(schema, path),
    ...listTypeProblems(schema, path),
    ...(schema[LIST_TYPE] === 'map' ? mapListProblems(schema, path) : []),
    ...itemProblems(schema, path),
  ];
}

function mapTypeProblems(schema: SchemaProps, path: string): readonly Problem[] {
  const type = schema[MAP_TYPE];
  if (type === undefined) return [];
  return [
    ...typeProblems(schema, path, { wanted: 'object', extension: MAP_TYPE }),
    ...(['atomic', 'granular'].includes(type)
      ? []
      : [unsupportedText(`${path}.${MAP_TYPE}`, type, ['atomic', 'granular'])]),
  ];
}

function typeProblems(
  { type = '' }: SchemaProps,
  path: string,
  { wanted, extension }: { readonly wanted: string; readonly extension: string },
): readonly Problem[] {
  if (type === wanted) return [];
  const detail = `must be ${wanted} if ${extension} is specified`;
  return [type === '' ? required(`${path}.type`, detail) : invalidText(`${path}.type`, type, detail)];
}

function listTypeProblems(schema: SchemaProps, path: string): readonly Problem[] {
  const type = schema[LIST_TYPE];
  const at = `${path}.${LIST_TYPE}`;
  const problems: Problem[] = [];
  if (type !== undefined) {
    const wrong = typeProblems(schema, path, { wanted: 'array', extension: LIST_TYPE });
    problems.push(...(wrong.length > 0 || type !== 'set' ? wrong : setProblems(itemsOf(schema), path)));
    if (!['atomic', 'set', 'map'].includes(type))
      problems.push(unsupportedText(at, type, ['atomic', 'set', 'map']));
  }
  if (schema[LIST_KEYS] === undefined || type === 'map') return problems;
  const detail = `must be map if ${LIST_KEYS} is non-empty`;
  return [...problems, type === undefined ? required(at, detail) : invalidText(at, type, detail)];
}

/** Items of a set must be scalars or atomic. */
function setProblems(items: SchemaProps | undefined, path: string): readonly Problem[] {
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items?.[LIST_TYPE];
  // kube-apiserver prints the list type in either case.
  const value = listType === undefined ? '"null"' : quoted(listType);
  if (items?.type === 'array' && listType !== undefined && listType !== 'atomic') {
    return [invalid(`${path}.items.${LIST_TYPE}`, value, detail)];
  }
  if (items?.type === 'object' && items[MAP_TYPE] !== 'atomic') {
    return [invalid(`${path}.items.${MAP_TYPE}`, value, detail)];
  }
  return [];
}

function mapListProblems(schema: SchemaProps, path: string): readonly Problem[] {
  const keys = schema[LIST_KEYS] ?? [];
  const items = itemsOf(schema);
  const problems: Problem[] = [];
  if (keys.length === 0) {
    problems.push(required(`${path}.${LIST_KEYS}`, `must not be empty if ${LIST_TYPE} is map`));
  }
  if (schema.items === undefined) {
    problems.push(required(`${path}.items`, `must have a schema if ${LIST_TYPE} is map`));
  }
  if (Array.isArray(schema.items)) {
    const detail = `must only have a single schema if ${LIST_TYPE} is map`;
    problems.push(invalid(`${path}.items`, goSchemaList(schema.items as readonly SchemaProps[]), detail));
  }
  if (items === undefined) return problems;
  if (items.type !== 'object') {
    const detail = `must be object if parent array's ${LIST_TYPE} is map`;
    return [...problems, invalidText(`${path}.items.type`, items.type ?? '', detail)];
  }
  return [...problems, ...keyProblems(items, keys, path)];
}

function keyProblems(items: SchemaProps, keys: readonly string[], path: string): readonly Problem[] {
  const invalidKeys = (detail: string) => invalid(`${path}.${LIST_KEYS}`, goStrings(keys), detail);
  return keys.flatMap((key, index) => {
    const property = propertyOf(items, key);
    const problems: Problem[] = [];
    if (property === undefined) problems.push(invalidKeys('entries must all be names of item properties'));
    if (property?.type === 'array' || property?.type === 'object') {
      const detail = `must be a scalar type if parent array's ${LIST_TYPE} is map`;
      // kube-apiserver prints the type of the items.
      problems.push(invalidText(`${path}.items.properties[${key}].type`, items.type ?? '', detail));
    }
    if (keys.indexOf(key) < index) problems.push(invalidKeys('must not contain duplicate entries'));
    return problems;
  });
}

/** Items of sets and keyed lists cannot be nullable, and keys must be required or have a default. */
function itemProblems(schema: SchemaProps, path: string): readonly Problem[] {
  const type = schema[LIST_TYPE];
  const items = itemsOf(schema);
  if (items === undefined || (type !== 'set' && type !== 'map')) return [];
  const problems: Problem[] = [];
  if (items.nullable) {
    problems.push(forbidden(`${path}.items.nullable`, `cannot be nullable when ${LIST_TYPE} is ${type}`));
  }
  for (const key of type === 'map' ? (schema[LIST_KEYS] ?? []) : []) {
    const property = propertyOf(items, key);
    if (property === undefined) continue;
    const at = `${path}.items.properties[${key}]`;
    const because = `this property is in ${LIST_KEYS}, so it`;
    if (property.default === undefined && !items.required?.includes(key)) {
      problems.push(required(`${at}.default`, `${because} must have a default or be a required property`));
    }
    if (property.nullable) problems.push(forbidden(`${at}.nullable`, `${because} cannot be nullable`));
  }
  return problems;
}
