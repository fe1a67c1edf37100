/**
 * Validates a value against its schema.
 *
 * In the server's order: structure (types, limits, patterns), embedded resources, uniqueness in sets and map lists, and
 * CEL rules, which run only if the structure is valid.
 */
import type { Problem, ProblemReason } from '../../base/errors.ts';
import { MAX_JSON_DEPTH } from '../../base/json.ts';
import { MAX_JSON_VALUES } from '../../base/json-size.ts';
import type { StructuralSchema } from '../schema/index.ts';
import { Correlated, fieldSchema } from './correlated.ts';
import { checkEmbeddedResources } from './embedded-resources.ts';
import { schemaSizeProblem, valueSizeProblem } from './limits.ts';
import { checkListTypes } from './list-types.ts';
import { invalidValue } from './problems.ts';
import { checkRules, hasRules } from './rules.ts';
import { checkStructure } from './structural-check.ts';

export type ValidateOptions = {
  /** The value before an update. Errors in unchanged parts are not reported again (ratcheting). */
  readonly old?: unknown;
  /** The path of the value, if it is not a whole object: `status`. */
  readonly path?: string;
};

/** All errors of the value, as kube-apiserver reports them; empty if it is valid. */
export function validate(
  schema: StructuralSchema,
  value: unknown,
  options: ValidateOptions = {},
): readonly Problem[] {
  const { old, path = '' } = options;
  const oversized = checkSizes(schema, value, { old, path });
  if (oversized !== undefined) return [oversized];
  const before = old === undefined ? undefined : new Correlated(schema, value, old);
  const problems = [
    ...checkStructure(schema, value, { path, before }),
    ...checkEmbeddedResources(schema, value, path),
  ];
  // An object that was stored with duplicates may keep them, as on the server.
  const twins = checkListTypes(schema, value, path);
  if (twins.length > 0 && (old === undefined || checkListTypes(schema, old, path).length === 0)) {
    for (const twin of twins) problems.push(twin);
  }
  if (!hasRules(schema)) return problems;
  if (problems.some(isBlocking)) return [...problems, RULES_NOT_CHECKED];
  return [...problems, ...checkRules(schema, value, { path, old, before, isRoot: path === '' })];
}

/**
 * The same for an update of the status subresource. Of the structure only the status is checked, and messages have paths
 * relative to it; rules apply to the whole object.
 */
export function validateStatus(
  schema: StructuralSchema,
  object: { readonly [key: string]: unknown },
  old: { readonly [key: string]: unknown },
): readonly Problem[] {
  const oversized = checkSizes(schema, object, { old, path: '' });
  if (oversized !== undefined) return [oversized];
  const before = new Correlated(schema, object, old);
  const status = fieldSchema(schema, 'status');
  const problems =
    status === undefined || object.status === undefined
      ? []
      : [...checkStructure(status, object.status, { path: 'status', before: before.field('status') })];
  const twins = checkListTypes(schema, object, '');
  if (twins.length > 0 && checkListTypes(schema, old, '').length === 0) {
    for (const twin of twins) problems.push(twin);
  }
  if (!hasRules(schema)) return problems;
  if (problems.some(isBlocking)) return [...problems, RULES_NOT_CHECKED];
  return [...problems, ...checkRules(schema, object, { path: '', old, before, isRoot: true })];
}

/**
 * Validates a default, which is put into objects without further checks: structure first, then embedded resources, then
 * the rules, both as if the value were unchanged and as if it were new.
 */
export function validateDefault(
  schema: StructuralSchema,
  value: unknown,
  { path, isRoot }: { readonly path: string; readonly isRoot: boolean },
): readonly Problem[] {
  const oversized = checkSizes(schema, value, { old: undefined, path });
  if (oversized !== undefined) return [oversized];
  const resource = checkEmbeddedResources(schema, value, path);
  if (resource.length > 0) return resource;
  const structure = checkStructure(schema, value, { path, before: undefined });
  if (structure.length > 0) return structure;
  const rules = { path, before: undefined, isRoot };
  const kept = checkRules(schema, value, { ...rules, old: value });
  return kept.length > 0 ? kept : checkRules(schema, value, { ...rules, old: undefined });
}

/**
 * Errors on which rules do not run: a value of the wrong type, missing, or larger than the cost estimate
 * assumes.
 */
function isBlocking({ reason }: Problem): boolean {
  return reason !== undefined && BLOCKING.has(reason);
}

const BLOCKING: ReadonlySet<ProblemReason> = new Set<ProblemReason>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const RULES_NOT_CHECKED: Problem = invalidValue(
  '',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);

function checkSizes(
  schema: StructuralSchema,
  value: unknown,
  { old, path }: { readonly old: unknown; readonly path: string },
): Problem | undefined {
  const oversized = checkSize(value, path) ?? checkSize(old, path);
  if (oversized !== undefined || schemaSizeProblem(schema) === undefined) return oversized;
  return invalidValue(path, '', 'its schema is too large to be applied');
}

function checkSize(value: unknown, path: string): Problem | undefined {
  switch (valueSizeProblem(value)?.kind) {
    case undefined:
      return undefined;
    case 'too deep':
      return invalidValue(path, '', `must not be nested deeper than ${MAX_JSON_DEPTH} levels`);
    case 'too large':
      return invalidValue(path, '', `must not hold more than ${MAX_JSON_VALUES} values`);
    case 'not JSON':
      return invalidValue(path, '', 'must not hold what JSON cannot hold');
  }
}
