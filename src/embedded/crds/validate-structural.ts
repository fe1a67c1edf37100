/**
 * Structural schemas: every value is specified outside of logic (`allOf`, `anyOf`, `oneOf`, `not`), so that pruning and
 * defaulting are unambiguous.
 */
import { formatProblem, type Problem } from '../../base/errors.ts';
import { compareBytes, jsonEqual } from '../../base/json.ts';
import { compileRegex, quoted } from '../../base/text/index.ts';
import { forbidden, invalid, invalidText, required } from '../resources/index.ts';
import { additionalSchemaOf, itemsOf, propertyOf, type SchemaProps } from './crd.ts';
import { completenessProblems } from './validate-completeness.ts';

/** In the order of kube-apiserver, sorted by text. */
export function structuralProblems(schema: SchemaProps, path: string): readonly Problem[] {
  const problems = [...invariantProblems(schema, 'root', path), ...completenessProblems(schema, path)];
  return problems.sort((left, right) => compareBytes(formatProblem(left), formatProblem(right)));
}

/**
 * Why the schema cannot be converted to a structural one; the first reason only. Most of these are reported again with
 * their path by the validation of fields.
 */
export function conversionFailure(schema: SchemaProps): string | undefined {
  const field = UNSUPPORTED.find((name) => isSet(schema[name]));
  if (field !== undefined)
    return `OpenAPIV3Schema '${field === '$schema' ? 'schema' : field}' is not supported`;
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (Array.isArray(schema.items)) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  for (const child of childrenOf(schema)) {
    const failure = conversionFailure(child);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

const UNSUPPORTED = [
  'id',
  '$schema',
  '$ref',
  'patternProperties',
  'dependencies',
  'additionalItems',
  'definitions',
] as const satisfies readonly (keyof SchemaProps)[];

function isSet(value: unknown): boolean {
  return value !== undefined && value !== '';
}

function childrenOf(schema: SchemaProps): readonly SchemaProps[] {
  const { allOf = [], anyOf = [], oneOf = [], not } = schema;
  const single = [not, itemsOf(schema), additionalSchemaOf(schema)].flatMap((child) => child ?? []);
  return [...allOf, ...anyOf, ...oneOf, ...single, ...Object.values(schema.properties ?? {})];
}

type Level = 'root' | 'item' | 'field';

const EMPTY_TYPE: { readonly [level in Level]: string } = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function invariantProblems(schema: SchemaProps, level: Level, path: string): readonly Problem[] {
  const items = itemsOf(schema);
  const additional = additionalSchemaOf(schema);
  const hasAdditional = schema.additionalProperties !== undefined;
  return [
    ...(schema.type === 'array' && items === undefined
      ? [required(`${path}.items`, 'must be specified')]
      : []),
    ...(items === undefined ? [] : invariantProblems(items, 'item', `${path}.items`)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      invariantProblems(property, 'field', `${path}.properties[${name}]`),
    ),
    ...(hasAdditional && level === 'root'
      ? [forbidden(`${path}.additionalProperties`, 'must not be used at the root')]
      : []),
    ...(additional === undefined
      ? []
      : invariantProblems(additional, 'field', `${path}.additionalProperties`)),
    ...extensionProblems(schema, path),
    ...logicProblems(schema, path, intOrStringPattern(schema)),
    ...typeProblems(schema, level, path),
    ...resourceProblems(schema, level, path),
  ];
}

function extensionProblems(schema: SchemaProps, path: string): readonly Problem[] {
  if (schema['x-kubernetes-int-or-string'] !== true) return [];
  return (['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const)
    .filter((name) => schema[name] === true)
    .map((name) => invalid(`${path}.${name}`, 'true', 'must be false if x-kubernetes-int-or-string is true'));
}

function typeProblems(schema: SchemaProps, level: Level, path: string): readonly Problem[] {
  const { type = '' } = schema;
  const at = `${path}.type`;
  const problems: Problem[] = [];
  const isOpen =
    schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (schema['x-kubernetes-embedded-resource'] === true && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    problems.push(type === '' ? required(at, detail) : invalidText(at, type, detail));
  } else if (type === '' && !isOpen) {
    problems.push(required(at, EMPTY_TYPE[level]));
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    problems.push(invalidText(at, type, 'must be object at the root'));
  }
  return problems;
}

/** Of the metadata a schema may only restrict name and generateName. */
function resourceProblems(schema: SchemaProps, level: Level, path: string): readonly Problem[] {
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const isResource = level === 'root' || isEmbedded;
  const problems: Problem[] = [];
  if (isEmbedded && schema.additionalProperties !== undefined) {
    const detail = 'must not be used if x-kubernetes-embedded-resource is set';
    problems.push(forbidden(`${path}.additionalProperties`, detail));
  }
  for (const [name, type] of isResource ? RESOURCE_TYPES : []) {
    const property = propertyOf(schema, name);
    if (property === undefined || property.type === type) continue;
    const at = `${path}.properties[${name}].type`;
    problems.push(invalidText(at, property.type ?? '', `must be ${type}`));
  }
  const metadata = level === 'root' ? propertyOf(schema, 'metadata') : undefined;
  if (metadata !== undefined && !isOnlyNames(metadata)) {
    const detail =
      'must not specify anything other than name and generateName, but metadata is implicitly specified';
    problems.push(forbidden(`${path}.properties[metadata]`, detail));
  }
  const isClosed = schema['x-kubernetes-preserve-unknown-fields'] !== true;
  if (isEmbedded && isClosed && Object.keys(schema.properties ?? {}).length === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    problems.push(required(`${path}.properties`, detail));
  }
  return problems;
}

const RESOURCE_TYPES = [
  ['kind', 'string'],
  ['apiVersion', 'string'],
  ['metadata', 'object'],
] as const;

/** Fields that are not value validations. */
const NON_VALIDATION_FIELDS: ReadonlySet<string> = new Set(['type', 'default', 'example', 'externalDocs']);

function isOnlyNames(metadata: SchemaProps): boolean {
  return Object.keys(metadata).every((key) => {
    if (key !== 'properties') return NON_VALIDATION_FIELDS.has(key);
    return Object.keys(metadata.properties ?? {}).every((name) => name === 'name' || name === 'generateName');
  });
}

/** Where the types of an IntOrString may be listed. */
type Pattern = 'anyOf' | 'allOf' | undefined;

const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

function intOrStringPattern({ anyOf, allOf }: SchemaProps): Pattern {
  if (anyOf !== undefined && jsonEqual(anyOf, INT_OR_STRING)) return 'anyOf';
  return jsonEqual(allOf?.[0]?.anyOf, INT_OR_STRING) ? 'allOf' : undefined;
}

function logicProblems(schema: SchemaProps, path: string, allowed: Pattern): readonly Problem[] {
  const { allOf = [], anyOf = [], oneOf = [], not, pattern = '' } = schema;
  const nested = (branches: readonly SchemaProps[], name: string) =>
    branches.flatMap((branch, index) => nestedProblems(branch, `${path}.${name}[${index}]`, undefined));
  return [
    ...(allowed === 'anyOf' ? [] : nested(anyOf, 'anyOf')),
    ...allOf.flatMap((branch, index) => {
      const isAllowed = allowed === 'allOf' && index === 0;
      return nestedProblems(branch, `${path}.allOf[${index}]`, isAllowed ? 'anyOf' : undefined);
    }),
    ...nested(oneOf, 'oneOf'),
    ...(not === undefined ? [] : nestedProblems(not, `${path}.not`, undefined)),
    ...patternProblems(pattern, `${path}.pattern`),
  ];
}

function patternProblems(pattern: string, path: string): readonly Problem[] {
  const regex = pattern === '' ? undefined : compileRegex(pattern);
  if (regex?.kind !== 'bad') return [];
  const detail = `must be a valid regular expression, but isn't: ${regex.error}`;
  return [invalid(path, quoted(pattern), detail)];
}

/** Fields that are forbidden inside of logic, with the required value. */
const FORBIDDEN_INSIDE: readonly (readonly [keyof SchemaProps, string])[] = [
  ['type', 'empty'],
  ['additionalProperties', 'undefined'],
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  ['x-kubernetes-preserve-unknown-fields', 'false'],
  ['x-kubernetes-embedded-resource', 'false'],
  ['x-kubernetes-int-or-string', 'false'],
  ['x-kubernetes-list-map-keys', 'empty'],
  ['x-kubernetes-list-type', 'undefined'],
  ['x-kubernetes-map-type', 'undefined'],
  ['x-kubernetes-validations', 'empty'],
];

function nestedProblems(schema: SchemaProps, path: string, allowed: Pattern): readonly Problem[] {
  const items = itemsOf(schema);
  return [
    ...logicProblems(schema, path, allowed),
    ...(items === undefined ? [] : nestedProblems(items, `${path}.items`, undefined)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      nestedProblems(property, `${path}.properties[${name}]`, undefined),
    ),
    // `false` is allowed there.
    ...FORBIDDEN_INSIDE.filter(([name]) => schema[name] !== undefined && schema[name] !== false).map(
      ([name, wanted]) => forbidden(`${path}.${name}`, `must be ${wanted} to be structural`),
    ),
    ...(propertyOf(schema, 'metadata') === undefined
      ? []
      : [forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context')]),
  ];
}
