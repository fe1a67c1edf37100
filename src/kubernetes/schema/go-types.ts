/**
 * The Go types behind the built-in kinds, as far as clients can observe them.
 *
 * Three things follow from them: the names in Go's decoding errors and in OpenAPI documents, the messages of
 * Kubernetes' protobuf, and whether an absent scalar differs from its zero value. A Go type is written with its
 * package: `core.Container`, `meta.LabelSelector`, `types.UID`.
 *
 *     const container = struct('core.Container', 'A container of a pod.', {
 *       imagePullPolicy: named('core.PullPolicy', string('When to pull the image.')),
 *       restartPolicy: pointer(named('core.ContainerRestartPolicy', string('Whether to restart.'))),
 *     });
 *
 * A field without either is the plain Go type that its schema implies. Objects are pointers unless the server
 * fills them in, so only scalars need `pointer`.
 */
import { type Fields, type ObjectOf, type ObjectOptions, object, type Schema } from './builders.ts';
import type { StructuralSchema } from './structural.ts';

/** An object that is a Go struct on the server. */
export function struct<F extends Fields>(
  goType: string,
  description: string,
  fields: F,
  options: ObjectOptions = {},
): Schema<ObjectOf<F>> {
  return named(goType, object(description, fields, options));
}

/** The same schema for a named Go type. */
export function named<T>(goType: string, schema: Schema<T>): Schema<T> {
  return { ...schema, 'x-go-type': goType };
}

/** A scalar of which an absent value and the zero value differ. */
export function pointer<T>(schema: Schema<T>): Schema<T> {
  return { ...schema, 'x-go-pointer': true };
}

/** An object that is no pointer although the server does not fill it in. */
export function value<T>(schema: Schema<T>): Schema<T> {
  return { ...schema, 'x-go-pointer': false };
}

/** The schema as CustomResourceDefinitions hold it: the API server does not know these two extensions. */
export function withoutGoTypes(schema: StructuralSchema): StructuralSchema {
  const { 'x-go-type': _type, 'x-go-pointer': _pointer, ...rest } = schema;
  const { properties, items, additionalProperties } = schema;
  return {
    ...rest,
    ...(properties === undefined ? {} : { properties: mapValues(properties, withoutGoTypes) }),
    ...(items === undefined ? {} : { items: withoutGoTypes(items) }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: withoutGoTypes(additionalProperties) }
      : {}),
  };
}

function mapValues<A, B>(
  record: { readonly [key: string]: A },
  map: (value: A) => B,
): { readonly [key: string]: B } {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
