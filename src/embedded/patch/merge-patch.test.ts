import { describe, expect, it } from 'vitest';
import type { Json } from '../../base/json.ts';
import { applyMergePatch } from './merge-patch.ts';

describe('a merge patch', () => {
  it.each([
    [null, 'Invalid JSON Patch'],
    [[], 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
    [
      'x',
      'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}',
    ],
    [true, 'error decoding patch: json: cannot unmarshal bool into Go value of type map[string]interface {}'],
  ])('that is %j is a bad request', (patch, message) => {
    expect(applyMergePatch({}, patch)).toMatchObject({
      kind: 'error',
      message,
      status: { code: 400, reason: 'BadRequest', message },
    });
  });

  it.each<[string, Json, Json, Json]>([
    ['changes', { a: 1, b: 2 }, { a: 3 }, { a: 3, b: 2 }],
    ['removes fields', { a: 1, b: 2 }, { a: null, c: null }, { b: 2 }],
    ['merges objects', { a: { b: 1, c: 2 } }, { a: { b: null, d: 3 } }, { a: { c: 2, d: 3 } }],
    ['replaces lists', { a: [1, 2] }, { a: [3] }, { a: [3] }],
    [
      'removes nulls from new objects',
      {},
      { a: { b: null, c: [{ d: null }, null] } },
      { a: { c: [{}, null] } },
    ],
    ['keeps nulls in a list that replaces an object', { a: {} }, { a: [{ b: null }] }, { a: [{ b: null }] }],
    ['replaces scalars by objects', 5, { a: { b: null } }, { a: {} }],
  ])('%s', (_, document, patch, merged) => {
    expect(applyMergePatch(document, patch)).toMatchObject({ kind: 'ok', value: merged });
  });

  it('shares the items of a replaced list that stay the same, also where their fields are in another order', () => {
    const conditions = [
      { type: 'A', status: 'True' },
      { type: 'B', status: 'True' },
    ];
    const patch = {
      conditions: [
        { status: 'True', type: 'A' },
        { type: 'B', status: 'False' },
      ],
    };
    const result = applyMergePatch({ conditions }, patch);
    const items = result.kind === 'ok' ? (result.value as { conditions: readonly Json[] }).conditions : [];
    expect(items).toEqual(patch.conditions);
    expect(items[0]).toBe(conditions[0]);
    expect(applyMergePatch({ conditions }, { conditions: structuredClone(conditions) })).toMatchObject({
      kind: 'ok',
      value: { conditions },
    });
  });

  it('keeps a key named __proto__ as a key', () => {
    const patch = JSON.parse('{"__proto__":{"evil":true},"a":{"__proto__":1}}');
    const outcome = applyMergePatch({}, patch);
    expect(JSON.stringify(outcome.kind === 'ok' && outcome.value)).toBe(
      '{"__proto__":{"evil":true},"a":{"__proto__":1}}',
    );
  });
});
