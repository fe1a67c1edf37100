import { describe, expect, it } from 'vitest';
import { isObject } from '../../base/json.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import { configMap } from '../../kubernetes/types/index.ts';
import { resourceDefinitions } from './kind-definitions.ts';
import type { ServedResource } from './served-resource.ts';

const widgetWith = (schema: StructuralSchema, more: Partial<ServedResource> = {}): ServedResource => ({
  ...configMap,
  ...{ origin: 'custom', group: 'one.example.com', kind: 'Widget', listKind: 'WidgetList', schema },
  ...more,
});
const definitionOf = (resource: ServedResource) =>
  resourceDefinitions(resource).get('com.example.one.v1.Widget');
const propertiesOf = (schema: StructuralSchema) => definitionOf(widgetWith(schema))?.properties;
const fieldOf = (spec: StructuralSchema) => {
  const properties = propertiesOf({ type: 'object', properties: { spec } });
  return isObject(properties) ? properties.spec : undefined;
};

const metadata = {
  description: expect.any(String),
  allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }],
};
const text = { type: 'string', description: expect.any(String) };

describe('a custom kind', () => {
  it('has the schema of its definition', () => {
    const spec: StructuralSchema = {
      type: 'object',
      title: 'Spec',
      properties: {
        size: { type: 'integer', minimum: 1, default: 3 },
        none: { type: 'string', nullable: true, 'x-kubernetes-validations': [{ rule: 'self != "x"' }] },
        one: { type: 'object', oneOf: [{ required: ['a'] }], not: { required: ['b'] } },
        open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        list: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        map: { type: 'object', additionalProperties: { type: 'string', format: 'byte' } },
      },
    };
    expect(fieldOf(spec)).toEqual(spec);
  });

  it('has apiVersion, kind and metadata like every kind, whatever its definition has', () => {
    const schema: StructuralSchema = {
      type: 'object',
      description: 'A widget.',
      required: ['spec'],
      properties: {
        spec: { type: 'object' },
        metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 3 } } },
        apiVersion: { type: 'integer' },
      },
    };
    const definition = definitionOf(widgetWith(schema));
    expect(definition).toEqual({
      type: 'object',
      description: 'A widget.',
      required: ['spec'],
      properties: { apiVersion: text, kind: text, metadata, spec: { type: 'object' } },
      'x-kubernetes-group-version-kind': [{ group: 'one.example.com', kind: 'Widget', version: 'v1' }],
    });
    expect(Object.keys(definition?.properties ?? {})).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
  });

  it('may preserve unknown fields at the root', () => {
    const schema: StructuralSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    expect(definitionOf(widgetWith(schema))).toMatchObject({
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { apiVersion: text, kind: text, metadata },
    });
  });

  it('has the fields of embedded objects and the types of int-or-string', () => {
    expect(fieldOf({ type: 'object', required: ['a'], 'x-kubernetes-embedded-resource': true })).toEqual({
      type: 'object',
      required: ['a', 'kind', 'apiVersion'],
      properties: { apiVersion: text, kind: text, metadata },
      'x-kubernetes-embedded-resource': true,
    });
    expect(fieldOf({ 'x-kubernetes-int-or-string': true })).toEqual({
      'x-kubernetes-int-or-string': true,
      anyOf: [{ type: 'integer' }, { type: 'string' }],
    });
  });

  it('accepts fields of any name', () => {
    const properties = JSON.parse('{"__proto__": {"type": "string"}, "constructor": {"type": "string"}}');
    expect(Object.keys(Object(propertiesOf({ type: 'object', properties })))).toEqual([
      '__proto__',
      'apiVersion',
      'constructor',
      'kind',
      'metadata',
    ]);
  });

  it('lists the selectable fields other than metadata', () => {
    const selectable = ['metadata.name', 'spec.size'].map((name) => ({
      name,
      places: [name.split('.')],
      absent: '' as const,
    }));
    const definitions = resourceDefinitions(widgetWith({ type: 'object' }, { selectableFields: selectable }));
    for (const name of ['Widget', 'WidgetList']) {
      expect(definitions.get(`com.example.one.v1.${name}`)).toMatchObject({
        'x-kubernetes-selectable-fields': [{ fieldPath: 'spec.size' }],
      });
    }
  });

  it('has a list with the listKind of its definition', () => {
    const definitions = resourceDefinitions(widgetWith({ type: 'object' }, { listKind: 'Widgets' }));
    expect(definitions.get('com.example.one.v1.Widgets')).toMatchObject({
      properties: { items: { items: { $ref: '#/components/schemas/com.example.one.v1.Widget' } } },
      'x-kubernetes-group-version-kind': [{ group: 'one.example.com', kind: 'Widgets', version: 'v1' }],
    });
  });
});
