/**
 * The values of an installation from what a user gave: merged with the defaults as Helm merges them, and checked as its
 * schema does.
 */
import { invalid, type Outcome, ok, type Problem } from '../base/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { prune, validate } from '../kubernetes/validation/index.ts';
import { type InstallValues, valuesSchema } from './values.ts';

/** Objects are merged, lists and scalars replaced; null removes what was there. */
function mergeValues(before: JsonObject, given: JsonObject): JsonObject {
  const merged: { [key: string]: Json } = { ...before };
  for (const [key, value] of Object.entries(given)) {
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    if (value === null) delete merged[key];
    else merged[key] = isJsonObject(old) && isJsonObject(value) ? mergeValues(old, value) : value;
  }
  return merged;
}

export function readValues(defaults: InstallValues, given: Json): Outcome<InstallValues> {
  if (!isJsonObject(given))
    return invalid([{ path: '', message: 'values are a mapping of names to values' }]);
  // Values are plain data: JSON by construction.
  const merged = mergeValues(defaults as unknown as JsonObject, given);
  const unknown = prune(valuesSchema, merged, { isPart: true }).unknownFields.map(unknownValue);
  const problems = [...unknown, ...validate(valuesSchema, merged).map(plainProblem)];
  // The schema has checked it.
  return problems.length > 0 ? invalid(problems) : ok(merged as unknown as InstallValues);
}

function unknownValue(path: string): Problem {
  return { path, message: 'there is no such value: docs/install-values.md lists them' };
}

/** A pattern says nothing to people. */
function plainProblem(problem: Problem): Problem {
  if (problem.path !== 'image' && problem.path !== 'builderImage') return problem;
  const message =
    'must be an image with a registry and a tag or digest, such as registry.example/millwright:1.0';
  return { path: problem.path, message };
}
