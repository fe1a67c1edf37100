import { describe, expect, it } from 'vitest';
import type { Json } from '../../base/json.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

const text: StructuralSchema = { type: 'string' };

/** The part of a Pod that has every patch strategy. */
const schema: StructuralSchema = {
  type: 'object',
  'x-go-type': 'core.Pod',
  properties: {
    labels: { type: 'object', additionalProperties: text },
    finalizers: { type: 'array', items: text, 'x-kubernetes-patch-strategy': 'merge' },
    args: { type: 'array', items: text },
    containers: {
      type: 'array',
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
      items: { type: 'object', 'x-go-type': 'core.Container', properties: { name: text, image: text } },
    },
    volume: {
      type: 'object',
      'x-kubernetes-patch-strategy': 'merge,retainKeys',
      properties: { name: text, a: text, b: text },
    },
    whole: { type: 'object', 'x-kubernetes-patch-strategy': 'replace', properties: { a: text, b: text } },
  },
};

const document: Json = {
  labels: { a: '1', b: '2' },
  finalizers: ['x', 'y'],
  args: ['1', '2'],
  containers: [
    { name: 'a', image: 'a:1' },
    { name: 'b', image: 'b:1' },
  ],
  volume: { name: 'v', a: '1' },
  whole: { a: '1' },
};

function failureOf(patch: unknown, of: Json = document) {
  const outcome = applyStrategicMergePatch(schema, of, patch);
  if (outcome.kind === 'ok') throw new Error(`accepted: ${JSON.stringify(outcome.value)}`);
  return { code: outcome.status.code, message: outcome.cause ?? outcome.message };
}

function result(patch: unknown, of: Json = document): Json {
  const outcome = applyStrategicMergePatch(schema, of, patch);
  if (outcome.kind === 'error') throw new Error(outcome.message);
  return outcome.value;
}

describe('a strategic merge patch that fails', () => {
  it.each<[string, unknown, number, string]>([
    ['no object', [], 400, 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
    [
      'an item without its merge key',
      { containers: [{ image: 'x' }] },
      500,
      'map: map[image:x] does not contain declared merge key: name',
    ],
    [
      'items of two types',
      { containers: [{ name: 'a' }, 'b'] },
      500,
      'list element types are not identical: [[map[image:a:1 name:a] map[image:b:1 name:b]] [map[name:a] b]]',
    ],
    [
      'a list of lists',
      { finalizers: [['x']], args: null },
      500,
      'list element types are not identical: [[x y] [[x]]]',
    ],
    [
      'an unknown directive',
      { labels: { $patch: 'spin' } },
      500,
      'unknown patch type: spin in map: map[$patch:spin]',
    ],
    [
      'an order of an unknown list',
      { '$setElementOrder/nonsense': [] },
      500,
      'unable to find api field in struct Pod for the json field "nonsense"',
    ],
    [
      'an order of a field that is no list',
      { '$setElementOrder/volume': [] },
      500,
      'expected a []interface {}, but received a map[string]interface {}',
    ],
    [
      'an order without the name of a list',
      { $setElementOrder: [] },
      400,
      'invalid patch format of setElementOrder list',
    ],
    [
      'a deletion without the name of a list',
      { $deleteFromPrimitiveList: [] },
      400,
      'invalid patch format of primitive list',
    ],
    [
      'retained keys that lack a field of the patch',
      { volume: { $retainKeys: ['name'], b: '2' } },
      400,
      'invalid patch format of retainKeys',
    ],
    [
      'an order that differs from that of the items',
      {
        containers: [{ name: 'b' }, { name: 'a' }],
        '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }],
      },
      500,
      "The order in patch list:\n[map[name:b] map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:a] map[name:b]]\n",
    ],
  ])('by %s has the message of kube-apiserver', (_, patch, code, message) => {
    expect(failureOf(patch)).toEqual({ code, message });
  });

  it('is rejected where the Go library panics', () => {
    expect(failureOf({ finalizers: [null] }, { finalizers: [] }).code).toBe(500);
    expect(failureOf({ volume: { $retainKeys: [{}] } }).code).toBe(400);
  });
});

describe('a strategic merge patch', () => {
  it.each<[string, unknown, object]>([
    ['merges maps', { labels: { a: null, c: '3' } }, { labels: { b: '2', c: '3' } }],
    ['replaces lists without a strategy', { args: ['3'] }, { args: ['3'] }],
    ['replaces objects with the replace strategy', { whole: { b: '2' } }, { whole: { b: '2' } }],
    ['merges scalars', { finalizers: ['z', 'x'] }, { finalizers: ['z', 'x', 'y'] }],
    ['deletes scalars', { '$deleteFromPrimitiveList/finalizers': ['x'] }, { finalizers: ['y'] }],
    ['orders scalars', { '$setElementOrder/finalizers': ['y', 'x'] }, { finalizers: ['y', 'x'] }],
    [
      'merges items by key',
      { containers: [{ name: 'b', image: 'b:2' }, { name: 'c' }] },
      { containers: [{ name: 'a', image: 'a:1' }, { name: 'b', image: 'b:2' }, { name: 'c' }] },
    ],
    [
      'deletes items',
      { containers: [{ name: 'a', $patch: 'delete' }] },
      { containers: [{ name: 'b', image: 'b:1' }] },
    ],
    [
      'replaces lists by directive',
      { containers: [{ $patch: 'replace' }, { name: 'z' }] },
      { containers: [{ name: 'z' }] },
    ],
    ['replaces objects by directive', { labels: { $patch: 'replace', z: '1' } }, { labels: { z: '1' } }],
    ['empties objects by directive', { labels: { $patch: 'delete' } }, { labels: {} }],
    ['retains keys', { volume: { $retainKeys: ['name', 'b'], b: '2' } }, { volume: { name: 'v', b: '2' } }],
    ['is empty', {}, {}],
    ['is null', null, {}],
  ])('%s', (_, patch, changed) => {
    expect(result(patch)).toEqual({ ...(document as object), ...changed });
  });

  it('changes neither the object nor the patch', () => {
    const patch = { containers: [{ name: 'a', $patch: 'delete' }], volume: { $retainKeys: ['name'] } };
    const before = structuredClone({ document, patch });
    result(patch);
    expect({ document, patch }).toEqual(before);
  });

  it('merges long lists', () => {
    const items = (image: string, from = 0) =>
      Array.from({ length: 10_000 }, (_, index) => ({ name: `n${index + from}`, image }));
    const order = items('', 5000).map(({ name }) => ({ name }));
    const patch = { containers: items('2', 5000), '$setElementOrder/containers': order };
    const { containers } = result(patch, { containers: items('1') }) as { containers: readonly unknown[] };
    expect(containers.length).toBe(15_000);
    expect(containers[4999]).toEqual({ name: 'n4999', image: '1' });
    expect(containers[5000]).toEqual({ name: 'n5000', image: '2' });
  });
});
