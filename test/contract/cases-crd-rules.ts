/** Validation rules of definitions and their messages. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { DEFINITIONS, defineWidgets, definition } from './custom-resources.ts';
import type { Fields } from './objects.ts';
import { causesOf, expectFailure, invalid } from './statuses.ts';

function withRules(rules: readonly Fields[], properties: Fields = {}): { readonly spec: Fields } {
  return {
    spec: {
      type: 'object',
      properties: {
        min: { type: 'integer' },
        max: { type: 'integer' },
        name: { type: 'string' },
        ...properties,
      },
      'x-kubernetes-validations': rules,
    },
  };
}

export const ruleCases = topic('rules', {
  'a rule that does not hold is told by its message': async (scene) => {
    const widgets = await defineWidgets(
      scene,
      withRules([{ rule: 'self.min <= self.max', message: 'min must not exceed max' }]),
    );
    expectFailure(
      await scene.post(widgets.collection(), widgets.object('a', { min: 2, max: 1 })),
      invalid(
        { kind: 'Widget', group: widgets.group, name: 'a' },
        {
          reason: 'FieldValueInvalid',
          message: 'Invalid value: "object": min must not exceed max',
          field: 'spec',
        },
      ),
    );
    const made = await scene.post(widgets.collection(), widgets.object('a', { min: 1, max: 2 }));
    expect(made.status).toBe(201);
  },

  'a rule without a message is told by its text, and a reason and a path can be given': async (scene) => {
    const widgets = await defineWidgets(
      scene,
      withRules([
        { rule: 'self.min <= self.max' },
        { rule: 'self.max < 100', reason: 'FieldValueForbidden', fieldPath: '.max', message: 'too much' },
        { rule: "self.name != 'bad'", messageExpression: "'name is ' + self.name" },
      ]),
    );
    const answer = await scene.post(
      widgets.collection(),
      widgets.object('a', { min: 200, max: 150, name: 'bad' }),
    );
    const causes = causesOf(answer, { kind: 'Widget', group: widgets.group, name: 'a' });
    expect([...causes].sort()).toEqual([
      'spec FieldValueInvalid: Invalid value: "object": failed rule: self.min <= self.max',
      'spec FieldValueInvalid: Invalid value: "object": name is bad',
      'spec.max FieldValueForbidden: Forbidden: too much',
    ]);
  },

  'a rule that reads what is not there fails with the evaluator’s words': async (scene) => {
    const widgets = await defineWidgets(scene, withRules([{ rule: 'self.min <= self.max' }]));
    const answer = await scene.post(widgets.collection(), widgets.object('a', { min: 1 }));
    expect(causesOf(answer, { kind: 'Widget', group: widgets.group, name: 'a' })).toEqual([
      'spec FieldValueInvalid: Invalid value: "object": no such key: max evaluating rule: self.min <= self.max',
    ]);
  },

  'a transition rule compares with what was there, and does not bind creation': async (scene) => {
    const widgets = await defineWidgets(scene, {
      spec: {
        type: 'object',
        properties: {
          fixed: {
            type: 'string',
            'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed is immutable' }],
          },
          free: { type: 'string' },
        },
      },
    });
    await scene.make(widgets.collection(), widgets.object('a', { free: 'x' }));
    const path = `${widgets.collection()}/a`;
    const first = await scene.patch(path, 'merge', { spec: { fixed: 'one' } });
    expect(first.status).toBe(200);
    expectFailure(
      await scene.patch(path, 'merge', { spec: { fixed: 'two' } }),
      invalid(
        { kind: 'Widget', group: widgets.group, name: 'a' },
        {
          reason: 'FieldValueInvalid',
          message: 'Invalid value: "string": fixed is immutable',
          field: 'spec.fixed',
        },
      ),
    );
    const removed = await scene.patch(path, 'merge', { spec: { fixed: null } });
    expect(removed.status).toBe(200);
  },

  'a rule with an optional old value binds creation too': async (scene) => {
    const widgets = await defineWidgets(
      scene,
      withRules([
        {
          rule: 'oldSelf.hasValue() || self.min == 0',
          optionalOldSelf: true,
          message: 'must start at zero',
        },
      ]),
    );
    const refused = await scene.post(widgets.collection(), widgets.object('a', { min: 1 }));
    expect(causesOf(refused, { kind: 'Widget', group: widgets.group, name: 'a' })).toEqual([
      'spec FieldValueInvalid: Invalid value: "object": must start at zero',
    ]);
    await scene.make(widgets.collection(), widgets.object('a', { min: 0 }));
    const moved = await scene.patch(`${widgets.collection()}/a`, 'merge', { spec: { min: 5 } });
    expect(moved.status).toBe(200);
  },

  'rules hold for items of lists and maps, and name the item': async (scene) => {
    const widgets = await defineWidgets(scene, {
      spec: {
        type: 'object',
        properties: {
          list: {
            type: 'array',
            maxItems: 10,
            items: { type: 'string', maxLength: 10, 'x-kubernetes-validations': [{ rule: "self != 'bad'" }] },
          },
          map: {
            type: 'object',
            maxProperties: 10,
            additionalProperties: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 0' }] },
          },
        },
      },
    });
    const answer = await scene.post(
      widgets.collection(),
      widgets.object('a', { list: ['good', 'bad'], map: { x: 1, y: 0 } }),
    );
    expect([...causesOf(answer, { kind: 'Widget', group: widgets.group, name: 'a' })].sort()).toEqual([
      'spec.list[1] FieldValueInvalid: Invalid value: "string": failed rule: self != \'bad\'',
      'spec.map[y] FieldValueInvalid: Invalid value: "integer": failed rule: self > 0',
    ]);
  },

  'a rule at the root sees name and kind': async (scene) => {
    const widgets = await defineWidgets(scene, {
      schema: {
        type: 'object',
        'x-kubernetes-validations': [{ rule: "self.metadata.name == 'only'", message: 'there can be one' }],
        properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    });
    expectFailure(
      await scene.post(widgets.collection(), widgets.object('other')),
      invalid(
        { kind: 'Widget', group: widgets.group, name: 'other' },
        { reason: 'FieldValueInvalid', message: 'Invalid value: "object": there can be one', field: '<nil>' },
      ),
    );
    expect((await scene.post(widgets.collection(), widgets.object('only'))).status).toBe(201);
  },

  'rules are not evaluated where the types are wrong': async (scene) => {
    const widgets = await defineWidgets(scene, withRules([{ rule: 'self.min <= self.max' }]));
    const answer = await scene.post(widgets.collection(), widgets.object('a', { min: 'x', max: 1 }));
    expect([...causesOf(answer, { kind: 'Widget', group: widgets.group, name: 'a' })].sort()).toEqual([
      '<nil> FieldValueInvalid: Invalid value: "null": some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
      'spec.min FieldValueTypeInvalid: Invalid value: "string": spec.min in body must be of type integer: "string"',
    ]);
  },

  'rules that do not compile are refused with the definition': async (scene) => {
    const group = `${scene.name('g')}.example.com`;
    const kind = {
      kind: 'CustomResourceDefinition',
      group: 'apiextensions.k8s.io',
      name: `widgets.${group}`,
    };
    const shown = (rule: string, message = '') =>
      `apiextensions.ValidationRule{Rule:"${rule}", Message:"", MessageExpression:"${message}", Reason:(*apiextensions.FieldValueErrorReason)(nil), FieldPath:"", OptionalOldSelf:(*bool)(nil)}`;
    const table: readonly [Fields, string][] = [
      [
        { rule: 'self.none > 1' },
        `rule FieldValueInvalid: Invalid value: ${shown('self.none > 1')}: compilation failed: ERROR: <input>:1:5: undefined field 'none'\n | self.none > 1\n | ....^`,
      ],
      [
        { rule: 'self.min + 1' },
        `rule FieldValueInvalid: Invalid value: ${shown('self.min + 1')}: cel expression must evaluate to a bool`,
      ],
      [{ rule: '' }, 'rule FieldValueRequired: Required value: rule is not specified'],
      [
        { rule: 'true', messageExpression: 'self.min' },
        `messageExpression FieldValueInvalid: Invalid value: ${shown('true', 'self.min')}: messageExpression must evaluate to a string`,
      ],
      [
        { rule: 'true', reason: 'Because' },
        'reason FieldValueNotSupported: Unsupported value: "Because": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
      ],
      [
        { rule: 'true', fieldPath: '.none' },
        'fieldPath FieldValueInvalid: Invalid value: ".none": fieldPath must be a valid path',
      ],
      [
        { rule: 'true', message: ' ' },
        'message FieldValueInvalid: Invalid value: " ": message must be non-empty if specified',
      ],
      [
        { rule: "self.name == 'a'\n|| true" },
        'message FieldValueRequired: Required value: message must be specified if rule contains line breaks',
      ],
    ];
    const place = 'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].';
    for (const [rule, cause] of table) {
      const answer = await scene.post(DEFINITIONS, definition(group, withRules([rule])));
      expect(causesOf(answer, kind)).toEqual([`${place}${cause}`]);
    }
  },

  'a rule that cannot be parsed shows where': async (scene) => {
    const group = `${scene.name('g')}.example.com`;
    const kind = {
      kind: 'CustomResourceDefinition',
      group: 'apiextensions.k8s.io',
      name: `widgets.${group}`,
    };
    const answer = await scene.post(DEFINITIONS, definition(group, withRules([{ rule: 'self.min <=' }])));
    const [cause = ''] = causesOf(answer, kind);
    expect(cause).toContain('compilation failed: ERROR: <input>:1:12: Syntax error: ');
    expect(cause.endsWith('\n | self.min <=\n | ...........^')).toBe(true);
  },

  'rules that may cost too much are refused with how much and what to do': async (scene) => {
    const group = `${scene.name('g')}.example.com`;
    const kind = {
      kind: 'CustomResourceDefinition',
      group: 'apiextensions.k8s.io',
      name: `widgets.${group}`,
    };
    const rule = { rule: 'self.all(x, self.all(y, x == y || x != y))' };
    const schema = {
      type: 'object',
      properties: { list: { type: 'array', items: { type: 'string' }, 'x-kubernetes-validations': [rule] } },
    };
    const advice =
      'exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';
    const root = 'spec.validation.openAPIV3Schema';
    expect(causesOf(await scene.post(DEFINITIONS, definition(group, { schema })), kind)).toEqual([
      `${root}.properties[list].x-kubernetes-validations[0].rule FieldValueForbidden: Forbidden: estimated rule cost ${advice}`,
      `${root}.properties[list].x-kubernetes-validations[0].rule FieldValueForbidden: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
      `${root} FieldValueForbidden: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema ${advice}`,
    ]);
    const bounded = {
      type: 'object',
      properties: {
        list: {
          type: 'array',
          maxItems: 10,
          items: { type: 'string', maxLength: 10 },
          'x-kubernetes-validations': [rule],
        },
      },
    };
    scene.tidy(`${DEFINITIONS}/widgets.${group}`);
    expect((await scene.post(DEFINITIONS, definition(group, { schema: bounded }))).status).toBe(201);
  },
  'a rule that costs too much when it runs is cut off': async (scene) => {
    const rule = 'self.all(x, self.all(y, x >= 0 || y >= 0))';
    const widgets = await defineWidgets(scene, {
      spec: {
        type: 'object',
        properties: {
          list: {
            type: 'array',
            maxItems: 900,
            items: { type: 'integer' },
            'x-kubernetes-validations': [{ rule }],
          },
        },
      },
    });
    const answer = await scene.post(widgets.collection(), widgets.object('a', { list: Array(900).fill(1) }));
    expect(causesOf(answer, { kind: 'Widget', group: widgets.group, name: 'a' })).toEqual([
      `spec.list FieldValueInvalid: Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`,
    ]);
  },
});
