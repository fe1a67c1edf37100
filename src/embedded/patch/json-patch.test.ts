import { describe, expect, it } from 'vitest';
import type { Json } from '../../base/json.ts';
import { applyJsonPatch, MAX_COPIED_BYTES, MAX_OPERATIONS } from './json-patch.ts';

const document: Json = { a: 1, list: ['p', 'q'], deep: { er: [{ k: 1 }] }, nothing: null };

/** The reason, and the message for the client. */
function failureOf(patch: unknown, of: Json = document) {
  const outcome = applyJsonPatch(of, patch);
  if (outcome.kind === 'ok') throw new Error(`accepted: ${JSON.stringify(outcome.value)}`);
  const { code, reason, message } = outcome.status;
  return { message: outcome.cause ?? message, code, reason, clientMessage: message };
}

function result(patch: unknown, of: Json = document): unknown {
  const outcome = applyJsonPatch(of, patch);
  if (outcome.kind === 'error') throw new Error(String(outcome.cause ?? outcome.message));
  return outcome.value;
}

describe('a JSON patch that fails', () => {
  const unprocessable = {
    code: 422,
    reason: 'Invalid',
    clientMessage: 'the server rejected our request due to an error in our request',
  };

  it.each([
    ['a failed test', { op: 'test', path: '/a', value: 2 }, 'testing value /a failed: test failed'],
    [
      'a missing object',
      { op: 'add', path: '/no/x', value: 1 },
      'add operation does not apply: doc is missing path: "/no/x": missing value',
    ],
    [
      'a missing field',
      { op: 'remove', path: '/no' },
      "error in remove for path: '/no': Unable to remove nonexistent key: no: missing value",
    ],
    [
      'an index out of range',
      { op: 'add', path: '/list/3', value: 1 },
      "error in add for path: '/list/3': Unable to access invalid index: 3: invalid index referenced",
    ],
    [
      'an index that is no number',
      { op: 'add', path: '/list/x', value: 1 },
      `error in add for path: '/list/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`,
    ],
    [
      'a move into itself',
      { op: 'move', from: '/deep', path: '/deep/x' },
      'move operation does not apply: doc is missing destination path: /deep/x: missing value',
    ],
    ['an unknown operation', { op: 'spin', path: '/a' }, 'Unexpected kind: spin'],
    ['an absent operation', null, 'Unexpected kind: unknown'],
  ])('by %s has a reason, and the message of kube-apiserver for the client', (_, operation, message) => {
    expect(failureOf([operation])).toEqual({ ...unprocessable, message });
  });

  it.each([
    ['no list', {}, 'object into Go value of type []handlers.jsonPatchOp'],
    ['a list of strings', ['x'], 'string into Go value of type handlers.jsonPatchOp'],
    [
      'a path that is a number',
      [{ op: 'add', path: 5 }],
      'number into Go struct field jsonPatchOp.path of type string',
    ],
  ])('to be decoded, being %s, is a bad request', (_, patch, end) => {
    const message = `error decoding patch: json: cannot unmarshal ${end}`;
    expect(failureOf(patch)).toEqual({ code: 400, reason: 'BadRequest', message, clientMessage: message });
  });

  it('leaves its input unchanged', () => {
    const before = structuredClone(document);
    failureOf([
      { op: 'add', path: '/list/0', value: 'x' },
      { op: 'remove', path: '/deep/er/0/k' },
      { op: 'test', path: '/a', value: 9 },
    ]);
    expect(document).toEqual(before);
  });
});

describe('a JSON patch that is too large', () => {
  it('by its number of operations is rejected before any is applied', () => {
    const patch = Array(MAX_OPERATIONS + 1).fill({ op: 'spin' });
    expect(failureOf(patch)).toMatchObject({
      code: 413,
      clientMessage:
        'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    });
  });

  it('by the size of its copies is aborted', () => {
    const text = 'x'.repeat(MAX_COPIED_BYTES / 2);
    const copy = { op: 'copy', from: '/text', path: '/copy' };
    expect(result([copy], { text })).toEqual({ text, copy: text });
    expect(failureOf([copy, copy], { text }).message).toBe(
      'Unable to complete the copy, the accumulated size increase of copy is 3145732, exceeding the limit 3145728',
    );
  });

  it('by the depth of its result is rejected', () => {
    const nest = Array(200).fill({ op: 'copy', from: '/a', path: '/a/a' });
    expect(failureOf(nest, { a: { a: {} } }).message).toMatch(/nests deeper than 100 levels$/);
  });
});

describe('a JSON patch', () => {
  it.each<[string, unknown[], unknown]>([
    ['adds', [{ op: 'add', path: '/list/1', value: 'x' }], { list: ['p', 'x', 'q'] }],
    ['appends to a list', [{ op: 'add', path: '/list/-', value: 'x' }], { list: ['p', 'q', 'x'] }],
    ['inserts at a negative index', [{ op: 'add', path: '/list/-1', value: 'x' }], { list: ['p', 'q', 'x'] }],
    ['adds null for an absent value', [{ op: 'add', path: '/a' }], { a: null }],
    ['adds a missing field with replace', [{ op: 'replace', path: '/b', value: 2 }], { b: 2 }],
    ['copies a missing field as null', [{ op: 'copy', from: '/no', path: '/b' }], { b: null }],
    ['treats a missing field as null in a test', [{ op: 'test', path: '/no', value: null }], {}],
    [
      'moves',
      [{ op: 'move', from: '/deep/er/0', path: '/list/0' }],
      { deep: { er: [] }, list: [{ k: 1 }, 'p', 'q'] },
    ],
  ])('%s', (_, patch, changed) => {
    expect(result(patch)).toEqual({ ...(document as object), ...(changed as object) });
  });

  it('does not share copies with their source', () => {
    const patch = [
      { op: 'copy', from: '/deep', path: '/copy' },
      { op: 'add', path: '/copy/er/0/k', value: 2 },
      { op: 'add', path: '/deep/er/-', value: 3 },
    ];
    expect(result(patch)).toMatchObject({ copy: { er: [{ k: 2 }] }, deep: { er: [{ k: 1 }, 3] } });
  });

  it('shares unchanged parts', () => {
    const changed = result([{ op: 'add', path: '/a', value: 2 }]) as { deep: unknown };
    expect(changed.deep).toBe((document as { deep: unknown }).deep);
  });

  it('warns of unknown fields of operations', () => {
    const outcome = applyJsonPatch({}, [{ op: 'add', path: '/a', value: 1, extra: 1 }]);
    expect(outcome).toMatchObject({
      kind: 'ok',
      warnings: [{ message: 'json patch unknown field "[0].extra"' }],
    });
  });

  it('keeps a key named __proto__ as a key', () => {
    const patch = [
      { op: 'add', path: '/__proto__', value: { evil: true } },
      { op: 'add', path: '/__proto__/worse', value: true },
      { op: 'copy', from: '/__proto__', path: '/copy' },
    ];
    const changed = result(patch, {}) as object;
    expect(Object.keys(changed)).toEqual(['__proto__', 'copy']);
    expect(Object.getPrototypeOf(changed)).toBe(Object.prototype);
    expect(JSON.stringify(changed)).toBe(
      '{"__proto__":{"evil":true,"worse":true},"copy":{"evil":true,"worse":true}}',
    );
  });
});
