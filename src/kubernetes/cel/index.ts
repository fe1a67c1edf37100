/**
 * CEL, the language of the rules in schemas and admission policies.
 *
 * `compileCel` turns a text into a program: the grammar is that of cel-js, type checking and evaluation are
 * ours, so that the server's texts come out, every step is paid from a budget, and regular expressions run
 * in linear time. `typeOfSchema` and `celValue` give data the types that its schema says.
 *
 * Not here: which rules a schema carries and when they run (`validation`).
 *
 * Start with `compile.ts`, then `program.ts`.
 */
export {
  AUTHORIZER,
  type Authorize,
  authorizerValue,
  RESOURCE_CHECK,
  type RequestResource,
  resourceCheckValue,
} from './authorization.ts';
export { type Bounds, boundsOf, MAX_REQUEST_BYTES } from './bounds.ts';
export { type CelType, type ObjectType, optionalOf, typeText } from './cel-type.ts';
export { compileCel, type Program, type Variable } from './compile.ts';
export { asResource, celValue, typeOfSchema, withResourceFields } from './data.ts';
export { computedObject, dynamicValue } from './dynamic.ts';
export { BudgetExceeded, CostBudget } from './program.ts';
export { EvaluationError, NO_SUCH_OVERLOAD, OptionalValue, type Value } from './values.ts';
