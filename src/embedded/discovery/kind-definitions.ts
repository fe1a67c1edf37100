/**
 * The definitions of a served kind: the kind, the types that it contains, and its list.
 */

import { isObject } from '../../base/json.ts';
import { typeFields } from '../../kubernetes/meta/index.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import { type AnyBody, goTypeOfKind, type KindName } from '../../kubernetes/types/index.ts';
import { definitionName } from './definition-name.ts';
import { definitionsOf } from './definitions.ts';
import { memoized } from './memoized.ts';
import { metaNames } from './meta-definitions.ts';
import { type Definitions, describedReference, type OpenApiSchema, referenceTo } from './openapi-schema.ts';
import type { ServedResource } from './served-resource.ts';

type Named = KindName & { readonly origin: ServedResource['origin'] };

/** `io.k8s.api.core.v1.Pod`; of a custom kind the group in reverse: `com.example.v1.Widget`. */
export function schemaName({ origin, group, version, kind }: Named): string {
  return origin === 'builtin'
    ? definitionName(goTypeOfKind({ group, kind }))
    : [...group.split('.').reverse(), version, kind].join('.');
}

/** Absent where objects are not stored, and so never listed. */
export function listName(resource: ServedResource): string | undefined {
  const { listKind } = resource;
  return listKind === undefined ? undefined : schemaName({ ...resource, kind: listKind });
}

/** Of a resource: the kind and its list. */
export const resourceDefinitions = memoized((resource: ServedResource): Definitions => {
  const own =
    resource.origin === 'builtin' ? bodyDefinitions(resource) : new Map([customDefinition(resource)]);
  const list = listName(resource);
  return list === undefined ? own : new Map([...own, [list, listDefinition(resource)]]);
});

/** Of a built-in kind, whether or not it is a resource. */
export const bodyDefinitions = memoized((body: AnyBody): Definitions => {
  const definitions = new Map(definitionsOf(body.schema));
  const name = definitionName(goTypeOfKind(body));
  definitions.set(name, {
    description: body.schema.description,
    ...definitions.get(name),
    ...kindMark(body, body.kind),
  });
  return definitions;
});

function kindMark({ group, version }: KindName, kind: string): OpenApiSchema {
  return { 'x-kubernetes-group-version-kind': [{ group, kind, version }] };
}

function listDefinition(resource: ServedResource): OpenApiSchema {
  const { kind, listKind = '', origin } = resource;
  const reference = referenceTo(schemaName(resource));
  const isOwn = origin === 'builtin';
  const empty = isOwn ? { default: {} } : {};
  return {
    description: `A list of objects of kind ${kind}.`,
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: typeFields.apiVersion,
      items: {
        description: 'The objects.',
        type: 'array',
        items: isOwn ? { ...empty, allOf: [reference] } : reference,
      },
      kind: typeFields.kind,
      metadata: describedReference('What every list carries.', metaNames.listMeta, empty),
    },
    ...kindMark(resource, listKind),
    ...selectableMark(resource),
  };
}

/** As in its CustomResourceDefinition, except for the three fields that every object has. */
function customDefinition(resource: ServedResource): readonly [name: string, schema: OpenApiSchema] {
  const { schema } = resource;
  const { properties = {}, ...rest } = schema;
  const fields = { ...mapped(properties, customSchema), ...typeFields, metadata };
  return [
    schemaName(resource),
    {
      ...customSchema(rest),
      type: 'object',
      properties: sorted(fields),
      ...kindMark(resource, resource.kind),
      ...selectableMark(resource),
    },
  ];
}

const metadata = describedReference('The metadata of the object.', metaNames.objectMeta);

function selectableMark({ origin, selectableFields }: ServedResource): OpenApiSchema {
  if (origin === 'builtin') return {};
  const own = selectableFields.filter(({ name }) => !name.startsWith('metadata.'));
  if (own.length === 0) return {};
  return { 'x-kubernetes-selectable-fields': own.map(({ name }) => ({ fieldPath: name })) };
}

/** Makes explicit what the server assumes: the fields of an embedded object, the types of int-or-string. */
function customSchema(schema: StructuralSchema): OpenApiSchema {
  const { properties, items, additionalProperties } = schema;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const isEither = schema['x-kubernetes-int-or-string'] === true;
  const embedded = isEmbedded ? { ...typeFields, metadata } : {};
  const fields = { ...mapped(properties ?? {}, customSchema), ...embedded };
  return {
    ...schema,
    ...(isEither && schema.anyOf === undefined && schema.allOf === undefined ? { anyOf: EITHER } : {}),
    ...(isEmbedded ? { required: [...new Set([...(schema.required ?? []), 'kind', 'apiVersion'])] } : {}),
    ...(Object.keys(fields).length === 0 ? {} : { properties: sorted(fields) }),
    ...(items === undefined ? {} : { items: customSchema(items) }),
    ...(isObject(additionalProperties) ? { additionalProperties: customSchema(additionalProperties) } : {}),
  };
}

const EITHER = [{ type: 'integer' }, { type: 'string' }];

type Fields<T> = { readonly [field: string]: T };

/** `Object.fromEntries` accepts any key, also `__proto__`. */
function mapped<A, B>(fields: Fields<A>, each: (field: A) => B): Fields<B> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, each(field)]));
}

function sorted<T>(fields: Fields<T>): Fields<T> {
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
}
