/** What a schema does to custom resources: defaults, pruning, validation. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { defineWidgets } from './custom-resources.ts';
import type { Fields } from './objects.ts';
import { badRequest, causesOf, expectFailure } from './statuses.ts';

const spec = {
  type: 'object',
  properties: {
    size: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
    name: { type: 'string', minLength: 2, maxLength: 4, pattern: '^[a-z]+$' },
    color: { type: 'string', enum: ['red', 'blue'] },
    when: { type: 'string', format: 'date-time' },
    list: { type: 'array', maxItems: 2, items: { type: 'string' } },
    ratio: { type: 'number' },
    flag: { type: 'boolean' },
    any: { 'x-kubernetes-int-or-string': true },
    open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    none: { type: 'string', nullable: true },
    nested: {
      type: 'object',
      required: ['must'],
      properties: {
        must: { type: 'string' },
        deep: { type: 'object', default: {}, properties: { x: { type: 'string', default: 'y' } } },
      },
    },
    map: { type: 'object', additionalProperties: { type: 'integer' } },
    set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    keyed: {
      type: 'array',
      items: { type: 'object', required: ['k'], properties: { k: { type: 'string' } } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    },
  },
};

export const schemaCases = topic('schemas', {
  'defaults are filled in, also inside what was filled in': async (scene) => {
    const widgets = await defineWidgets(scene, { spec });
    const made = await scene.make(widgets.collection(), widgets.object('a', { nested: { must: 'x' } }));
    expect(made.spec).toEqual({ size: 3, nested: { must: 'x', deep: { x: 'y' } } });
  },

  'null is replaced by the default, dropped, or kept where it is allowed': async (scene) => {
    const widgets = await defineWidgets(scene, { spec });
    const made = await scene.post(widgets.collection(), widgets.object('a', { size: null, none: null }));
    expect(made.json.spec).toEqual({ size: 3, none: null });
    const dropped = await scene.post(
      widgets.collection(),
      widgets.object('b', { color: null, nested: null }),
    );
    expect(dropped.json.spec).toEqual({ size: 3 });
  },

  'unknown fields are pruned, with a warning unless asked otherwise': async (scene) => {
    const widgets = await defineWidgets(scene, { spec });
    const body = (name: string) => ({
      ...widgets.object(name, { size: 1, sise: 2, open: { kept: 1 }, nested: { must: 'x', more: 1 } }),
      extra: true,
    });
    const warned = await scene.post(widgets.collection(), body('a'));
    expect(warned.status).toBe(201);
    expect(warned.json.spec).toEqual({ size: 1, open: { kept: 1 }, nested: { must: 'x', deep: { x: 'y' } } });
    expect(warned.json).not.toHaveProperty('extra');
    expect(warned.warnings).toEqual([
      'unknown field "extra"',
      'unknown field "spec.nested.more"',
      'unknown field "spec.sise"',
    ]);
    const ignored = await scene.post(`${widgets.collection()}?fieldValidation=Ignore`, body('b'));
    expect([ignored.status, ignored.warnings]).toEqual([201, []]);
    expectFailure(
      await scene.post(`${widgets.collection()}?fieldValidation=Strict`, body('c')),
      badRequest(
        'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "extra", unknown field "spec.nested.more", unknown field "spec.sise"',
      ),
    );
  },

  'unknown and repeated fields of core kinds are told in the same ways': async (scene) => {
    const space = await scene.namespace();
    const path = `/api/v1/namespaces/${space}/configmaps`;
    const body = (name: string) =>
      `{"metadata":{"name":"${name}","nam":1},"data":{"k":"a","k":"b"},"datta":{}}`;
    const warned = await scene.post(path, body('a'));
    expect([warned.status, warned.json.data]).toEqual([201, { k: 'b' }]);
    expect(warned.warnings).toEqual([
      'unknown field "metadata.nam"',
      'duplicate field "data.k"',
      'unknown field "datta"',
    ]);
    expectFailure(
      await scene.post(`${path}?fieldValidation=Strict`, body('b')),
      badRequest(
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "metadata.nam", duplicate field "data.k", unknown field "datta"',
      ),
    );
    const none = await scene.post(`${path}?fieldValidation=Some`, body('c'));
    expect(none.json.message).toBe(
      'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Some": supported values: "", "Ignore", "Strict", "Warn"',
    );
  },

  'values that the schema does not allow are refused, each with its cause': async (scene) => {
    const widgets = await defineWidgets(scene, { spec });
    const table: readonly [Fields, readonly string[]][] = [
      [
        { size: 10 },
        [
          'spec.size FieldValueInvalid: Invalid value: 10: spec.size in body should be less than or equal to 9',
        ],
      ],
      [
        { size: 0 },
        [
          'spec.size FieldValueInvalid: Invalid value: 0: spec.size in body should be greater than or equal to 1',
        ],
      ],
      [
        { size: 1.5 },
        [
          'spec.size FieldValueTypeInvalid: Invalid value: "number": spec.size in body must be of type integer: "number"',
        ],
      ],
      [
        { size: '1' },
        [
          'spec.size FieldValueTypeInvalid: Invalid value: "string": spec.size in body must be of type integer: "string"',
        ],
      ],
      [
        { name: 'a' },
        [
          'spec.name FieldValueInvalid: Invalid value: "a": spec.name in body should be at least 2 chars long',
        ],
      ],
      [{ name: 'abcde' }, ['spec.name FieldValueTooLong: Too long: may not be more than 4 bytes']],
      [
        { name: 'A1' },
        ['spec.name FieldValueInvalid: Invalid value: "A1": spec.name in body should match \'^[a-z]+$\''],
      ],
      [
        { color: 'green' },
        ['spec.color FieldValueNotSupported: Unsupported value: "green": supported values: "red", "blue"'],
      ],
      [
        { when: 'today' },
        [
          'spec.when FieldValueTypeInvalid: Invalid value: "today": spec.when in body must be of type date-time: "today"',
        ],
      ],
      [{ list: ['a', 'b', 'c'] }, ['spec.list FieldValueTooMany: Too many: 3: must have at most 2 items']],
      [
        { list: ['a', 1] },
        [
          'spec.list[1] FieldValueTypeInvalid: Invalid value: "integer": spec.list[1] in body must be of type string: "integer"',
        ],
      ],
      [
        { ratio: 'x' },
        [
          'spec.ratio FieldValueTypeInvalid: Invalid value: "string": spec.ratio in body must be of type number: "string"',
        ],
      ],
      [
        { flag: 'true' },
        [
          'spec.flag FieldValueTypeInvalid: Invalid value: "string": spec.flag in body must be of type boolean: "string"',
        ],
      ],
      [
        { any: true },
        [
          'spec.any FieldValueTypeInvalid: Invalid value: "boolean": spec.any in body must be of type integer,string: "boolean"',
        ],
      ],
      [{ nested: {} }, ['spec.nested.must FieldValueRequired: Required value']],
      [
        { map: { a: 'x' } },
        [
          'spec.map.a FieldValueTypeInvalid: Invalid value: "string": spec.map.a in body must be of type integer: "string"',
        ],
      ],
      [{ set: ['a', 'b', 'a'] }, ['spec.set[2] FieldValueDuplicate: Duplicate value: "a"']],
      [
        { keyed: [{ k: 'a' }, { k: 'a' }] },
        ['spec.keyed[1] FieldValueDuplicate: Duplicate value: map[string]interface {}{"k":"a"}'],
      ],
      [
        { nested: 'x' },
        [
          'spec.nested FieldValueTypeInvalid: Invalid value: "string": spec.nested in body must be of type object: "string"',
        ],
      ],
      [
        { size: 10, color: 'green' },
        [
          'spec.color FieldValueNotSupported: Unsupported value: "green": supported values: "red", "blue"',
          'spec.size FieldValueInvalid: Invalid value: 10: spec.size in body should be less than or equal to 9',
        ],
      ],
    ];
    const kind = { kind: 'Widget', group: widgets.group, name: 'a' };
    const found: (readonly [Fields, readonly string[]])[] = [];
    for (const [fields] of table) {
      const answer = await scene.post(widgets.collection(), widgets.object('a', fields));
      // Causes of several fields are in no order.
      found.push([fields, [...causesOf(answer, kind)].sort()]);
    }
    expect(found).toEqual(table);
  },

  'what was invalid before a schema changed may stay, but not be made anew': async (scene) => {
    const widgets = await defineWidgets(scene, {
      spec: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } },
    });
    await scene.make(widgets.collection(), widgets.object('old', { a: 'long', b: 'x' }));
    await scene.patch(widgets.definition, 'json', [
      {
        op: 'add',
        path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/a/maxLength',
        value: 2,
      },
    ]);
    let refused = await scene.post(
      `${widgets.collection()}?dryRun=All`,
      widgets.object('new', { a: 'long' }),
    );
    while (refused.status !== 422) {
      refused = await scene.post(`${widgets.collection()}?dryRun=All`, widgets.object('new', { a: 'long' }));
    }
    const unrelated = await scene.patch(`${widgets.collection()}/old`, 'merge', { spec: { b: 'y' } });
    expect(unrelated.status).toBe(200);
    const related = await scene.patch(`${widgets.collection()}/old`, 'merge', { spec: { a: 'longer' } });
    expect(related.status).toBe(422);
  },
});
