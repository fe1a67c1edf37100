/**
 * Structural schemas as values.
 *
 * A schema here *is* the OpenAPI v3 structural schema that Kubernetes keeps in a CustomResourceDefinition,
 * as plain data, and at the same time the source of a TypeScript type (`Infer<typeof schema>`). So one value
 * per kind gives the type, the CRD and the validation, and a CRD that somebody else wrote can be validated
 * by the same code.
 *
 * Not here: deciding whether an object fits (`validation`), or what any kind means (`api`).
 *
 * Start with `builders.ts`.
 */
export {
  anyObject,
  boolean,
  bytes,
  dateTime,
  described,
  type Infer,
  int32,
  int64,
  intOrString,
  list,
  mapOf,
  nullable,
  type ObjectOf,
  object,
  oneOf,
  openObject,
  type RequiredSchema,
  required,
  type Schema,
  string,
  withRules,
} from './builders.ts';
export { named, pointer, struct, value, withoutGoTypes } from './go-types.ts';
export type { StructuralSchema, ValidationRule } from './structural.ts';
