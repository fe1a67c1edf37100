/**
 * Structural schemas as values.
 *
 * A schema here *is* the OpenAPI v3 structural schema of a CustomResourceDefinition, as plain data, and at the same
 * time the source of a TypeScript type (`Infer<typeof schema>`). So one value per kind gives the type, the CRD and
 * the validation, and CRDs of third parties are validated by the same code. Schemas of built-in kinds also name their
 * Go types, from which the embedded API server derives OpenAPI definitions, protobuf messages and decoding errors.
 *
 * Not here: validation of objects (`validation`), and the kinds themselves (`kubernetes/types`, `api`).
 *
 * Start with `builders.ts`, then `go-types.ts`.
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
