import { describe, expect, it } from 'vitest';
import type { StructuralSchema } from '../schema/index.ts';
import { validateDefault, validateStatus } from './validate.ts';

const lines = (problems: readonly { readonly path: string; readonly message: string }[]): readonly string[] =>
  problems.map(({ path, message }) => `${path}: ${message}`);

describe('validateStatus', () => {
  const schema: StructuralSchema = {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { max: { type: 'integer' } } },
      status: {
        type: 'object',
        properties: {
          count: { type: 'integer' },
          set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        },
      },
    },
    'x-kubernetes-validations': [{ rule: '!has(self.status) || self.status.count <= self.spec.max' }],
  };
  const object = (status: unknown, spec: unknown = { max: 3 }) => ({ spec, status });

  it('reports paths relative to the status', () => {
    expect(lines(validateStatus(schema, object({ count: 'x' }), object({})))).toEqual([
      'status.count: Invalid value: "string": count in body must be of type integer: "string"',
      expect.stringContaining('some validation rules were not checked'),
    ]);
  });

  it('runs rules on the whole object', () => {
    expect(lines(validateStatus(schema, object({ count: 4 }), object({ count: 1 })))).toEqual([
      ': Invalid value: "object": failed rule: !has(self.status) || self.status.count <= self.spec.max',
    ]);
    expect(validateStatus(schema, object({ count: 3 }), object({ count: 1 }))).toEqual([]);
  });

  it('ignores errors in the spec', () => {
    expect(validateStatus(schema, object({ count: 1 }, { max: 3, other: 'x' }), object({}))).toEqual([]);
    const wrong = { max: 'x' };
    const [first] = lines(validateStatus(schema, object({ count: 1 }, wrong), object({ count: 0 }, wrong)));
    expect(first).not.toContain('must be of type');
  });

  it('ignores errors that the old status has too', () => {
    const before = object({ count: 'x' });
    expect(validateStatus({ ...schema, 'x-kubernetes-validations': [] }, before, before)).toEqual([]);
    const twins = object({ set: ['a', 'a'] });
    expect(lines(validateStatus(schema, twins, object({})))).toContain('status.set[1]: Duplicate value: "a"');
    expect(lines(validateStatus({ ...schema, 'x-kubernetes-validations': [] }, twins, twins))).toEqual([]);
  });
});

describe('validateDefault', () => {
  const at = { path: 'spec.default', isRoot: false };

  it('reports the value without its path', () => {
    const list: StructuralSchema = { type: 'array', items: { type: 'string' } };
    expect(lines(validateDefault(list, ['a', 1], at))).toEqual([
      'spec.default.[1]: Invalid value: "integer": [1] in body must be of type string: "integer"',
    ]);
  });

  it('runs the rules, with the value as an old and as a new one', () => {
    const ruled = (rule: string): StructuralSchema => ({
      type: 'string',
      'x-kubernetes-validations': [{ rule, message: 'no', optionalOldSelf: rule.includes('oldSelf') }],
    });
    expect(lines(validateDefault(ruled("self == 'y'"), 'x', at))).toEqual([
      'spec.default: Invalid value: "string": no',
    ]);
    expect(lines(validateDefault(ruled('oldSelf.hasValue()'), 'x', at))).toHaveLength(1);
    expect(validateDefault(ruled("self == 'x'"), 'x', at)).toEqual([]);
  });

  it('requires apiVersion and kind of an embedded resource', () => {
    const resource: StructuralSchema = { type: 'object', 'x-kubernetes-embedded-resource': true };
    expect(lines(validateDefault(resource, {}, at))).toEqual([
      'spec.default.apiVersion: Required value: must not be empty',
      'spec.default.kind: Required value: must not be empty',
    ]);
  });
});
