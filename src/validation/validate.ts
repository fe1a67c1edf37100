/**
 * Does a value fit its schema?
 *
 * Looks in the server's order: structure (types, limits, patterns), embedded resources, the uniqueness that
 * list types promise, and CEL rules, which run only on a value whose structure they can rely on.
 */
import type { Problem, ProblemReason } from '../errors.ts';
import { MAX_JSON_DEPTH } from '../json.ts';
import type { StructuralSchema } from '../schema/index.ts';
import { Correlated } from './correlated.ts';
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
  const oversized = checkSize(value, path) ?? checkSize(old, path);
  if (oversized !== undefined) return [oversized];
  if (sizeOfSchema(schema) !== 'fits')
    return [invalidValue(path, '', 'its schema is too large to be applied')];
  const before = old === undefined ? undefined : new Correlated(schema, value, old);
  const problems = [
    ...checkStructure(schema, value, { path, before }),
    ...checkEmbeddedResources(schema, value, path),
  ];
  // An object that got in with twins may keep them: the server does not make updates harder than that.
  if (old === undefined || checkListTypes(schema, old, path).length === 0) {
    problems.push(...checkListTypes(schema, value, path));
  }
  if (!hasRules(schema)) return problems;
  if (problems.some(isBlocking)) return [...problems, RULES_NOT_CHECKED];
  return [...problems, ...checkRules(schema, value, { path, old, before, isRoot: path === '' })];
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
