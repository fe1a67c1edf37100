/**
 * CEL, the expression language of validation rules in schemas and of admission policies.
 *
 * `compileCel` compiles an expression into a program. The parser is that of cel-js; type checking and evaluation are
 * ours, so that error messages are those of kube-apiserver, every step is charged to a budget, and regular expressions
 * run in linear time. `typeOfSchema` and `celValue` give data the CEL types of its schema.
 *
 * Not here: the rules of a schema, and when they run (`validation`).
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
