/**
 * The OpenAPI v2 document, for tools that read nothing newer: the definitions of all kinds in one document.
 *
 * It has no paths: clients that need operations read version 3.
 */
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { isObject } from '../../base/json.ts';
import { memoized } from './memoized.ts';
import { versionParts } from './openapi-document.ts';
import type { OpenApiSchema } from './openapi-schema.ts';
import { servedGroups } from './served-groups.ts';
import type { ServedResource } from './served-resource.ts';

const INFO = { title: 'Kubernetes', version: '1.33' };

export const openApiV2 = memoized((resources: readonly ServedResource[]): Uint8Array => {
  const definitions = new Map<string, OpenApiSchema>();
  for (const { resources: members } of servedGroups(resources).flatMap(({ versions }) => versions)) {
    for (const [name, schema] of versionParts(members).definitions) definitions.set(name, older(schema));
  }
  const sorted = [...definitions].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return utf8ToBytes(
    JSON.stringify({
      swagger: '2.0',
      info: INFO,
      paths: {},
      definitions: Object.fromEntries(sorted),
    }),
  );
});

/** A protobuf document with only its version and title. */
export const emptyOpenApiV2: Uint8Array = message(
  field(1, utf8ToBytes('2.0')),
  field(2, message(field(1, utf8ToBytes(INFO.title)), field(2, utf8ToBytes(INFO.version)))),
);

/** A field of bytes; all of ours are shorter than 128, so that one byte holds the length. */
function field(number: number, bytes: Uint8Array): Uint8Array {
  const LENGTH_DELIMITED = 2;
  return Uint8Array.of((number << 3) | LENGTH_DELIMITED, bytes.length, ...bytes);
}

function message(...fields: readonly Uint8Array[]): Uint8Array {
  return concatBytes(...fields);
}

/** Version 2 has neither alternatives nor null, and allows keywords next to a reference. */
function older(schema: OpenApiSchema): OpenApiSchema {
  const { oneOf, anyOf: _any, not: _not, nullable: _nullable, allOf, default: _default, ...rest } = schema;
  const reference = Array.isArray(allOf) && isObject(allOf[0]) ? allOf[0].$ref : rest.$ref;
  return {
    ...rest,
    ...(oneOf !== undefined && rest.type === undefined ? { type: 'string' } : {}),
    ...(typeof reference === 'string'
      ? { $ref: reference.replace('components/schemas', 'definitions') }
      : {}),
    ...(isObject(rest.properties) ? { properties: olderFields(rest.properties) } : {}),
    ...(isObject(rest.items) ? { items: older(rest.items) } : {}),
    ...(isObject(rest.additionalProperties)
      ? { additionalProperties: older(rest.additionalProperties) }
      : {}),
  };
}

function olderFields(fields: OpenApiSchema): OpenApiSchema {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, isObject(field) ? older(field) : field]),
  );
}
