/**
 * Limits on the size of values and schemas, beyond which the recursive checks do not run.
 */
import { MAX_JSON_DEPTH } from '../../base/json.ts';
import { type SizeProblem, sizeProblem, uncachedSizeProblem } from '../../base/json-size.ts';

/** A schema has two or three levels for every level of the values that it describes. */
const MAX_SCHEMA_DEPTH = 3 * MAX_JSON_DEPTH;

const schemas = new WeakMap<object, { readonly problem: SizeProblem | undefined }>();

export function schemaSizeProblem(schema: object): SizeProblem | undefined {
  const known = schemas.get(schema);
  if (known !== undefined) return known.problem;
  const problem = uncachedSizeProblem(schema, { maxDepth: MAX_SCHEMA_DEPTH, allowsUndefined: true });
  schemas.set(schema, { problem });
  return problem;
}

export function valueSizeProblem(value: unknown): SizeProblem | undefined {
  return sizeProblem(value, { allowsUndefined: true });
}

/** Whether recursive checks of the value may run. */
export function isTraversable(value: unknown, schema: object): boolean {
  return valueSizeProblem(value) === undefined && schemaSizeProblem(schema) === undefined;
}
