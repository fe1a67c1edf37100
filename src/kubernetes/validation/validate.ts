/**
 * Does a value fit its schema?
 *
 * Looks in the server's order: structure (types, limits, patterns), embedded resources, the uniqueness that
 * list types promise, and CEL rules, which run only on a value whose structure they can rely on.
 */
import type { Problem, ProblemReason } from '../../base/errors.ts';
import { MAX_JSON_DEPTH } from '../../base/json.ts';
import type { StructuralSchema } from '../schema/index.ts';
import { Correlated, fieldSchema } from './correlated.ts';
import { checkEmbeddedResources } from './embedded-resources.ts';
import { MAX_VALUES, sizeOf, sizeOfSchema } from './limits.ts';
import { checkListTypes } from './list-types.ts';
import { invalidValue } from './problems.ts';
import { checkRules, hasRules } from './rules.ts';
import { checkStructure } from './structural-check.ts';

export type ValidateOptions = {
  /** The value before an update. What has not changed since is not complained about again. */
  readonly old?: unknown;
  /** Where the value stands, if it is not a whole object: `status`. */
  readonly path?: string;
};

/** Every problem of the value, in the words of kube-apiserver; none if it fits. */
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
  // An object that got in with twins may keep them: the server does not make updates harder than that.
  const twins = checkListTypes(schema, value, path);
  if (twins.length > 0 && (old === undefined || checkListTypes(schema, old, path).length === 0)) {
    for (const twin of twins) problems.push(twin);
  }
  if (!hasRules(schema)) return problems;
  if (problems.some(isBlocking)) return [...problems, RULES_NOT_CHECKED];
  return [...problems, ...checkRules(schema, value, { path, old, before, isRoot: path === '' })];
}

/**
 * The same for an update by the door of the status. Of the structure only the status is looked at, and messages name
 * fields from there on; rules see the whole object, also those that stand elsewhere.
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
 * What is wrong with a default, which will be put into objects unseen: structure first, then what a resource says of
 * itself, then the rules, as if the value had always been there and as if it were new.
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

/** What rules could not rely on: a value of the wrong type, missing, or larger than rules were priced for. */
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
  if (oversized !== undefined || sizeOfSchema(schema) === 'fits') return oversized;
  return invalidValue(path, '', 'its schema is too large to be applied');
}

function checkSize(value: unknown, path: string): Problem | undefined {
  switch (sizeOf(value)) {
    case 'fits':
      return undefined;
    case 'too deep':
      return invalidValue(path, '', `must not be nested deeper than ${MAX_JSON_DEPTH} levels`);
    case 'too large':
      return invalidValue(path, '', `must not hold more than ${MAX_VALUES} values`);
    case 'not JSON':
      return invalidValue(path, '', 'must not hold what JSON cannot hold');
  }
}
