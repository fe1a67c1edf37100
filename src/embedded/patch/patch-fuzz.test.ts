/**
 * Arbitrary input must never throw, change the input, or touch a prototype.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostileJson } from '../../../test/support/arbitraries.ts';
import { canonicalJson, type Json, type JsonObject } from '../../base/json.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import { apply } from './apply.ts';
import { decodeFields, encodeFields } from './fields-v1.ts';
import { ignoreTimestampChanges } from './ignore-timestamp-changes.ts';
import { applyJsonPatch } from './json-patch.ts';
import { decodeManagedFields } from './managed-fields.ts';
import { applyMergePatch } from './merge-patch.ts';
import type { Patched } from './patched.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';
import { updateManagedFields } from './update-managed-fields.ts';

const text: StructuralSchema = { type: 'string' };
/** The fields of hostile values, each with another merge strategy. */
const schema: StructuralSchema = {
  type: 'object',
  properties: {
    path: {
      type: 'array',
      items: text,
      'x-kubernetes-list-type': 'set',
      'x-kubernetes-patch-strategy': 'merge',
    },
    files: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['path'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'path',
      items: { type: 'object', properties: { path: { type: 'string', default: 'p' }, files: {} } },
    },
    storage: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    ignition: { 'x-kubernetes-preserve-unknown-fields': true },
    annotations: { type: 'object', 'x-kubernetes-map-type': 'atomic' },
    metadata: { type: 'object' },
  },
};

const writer = { schema, apiVersion: 'v1', kind: 'Thing', manager: 'x', now: '2020-01-01T00:00:00Z' };

/** Hostile values, also in the places of directives. */
const directive = fc.constantFrom(
  '$patch',
  '$retainKeys',
  '$setElementOrder/files',
  '$setElementOrder/path',
  '$deleteFromPrimitiveList/path',
  'metadata',
  'managedFields',
  'annotations',
  'files',
  'path',
  'storage',
);
const hostile: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    hostileJson,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(directive, tie('value'), { maxKeys: 4 }),
  ),
})).value;
const hostileObject = fc
  .dictionary(directive, hostile, { maxKeys: 5 })
  .map((fields): JsonObject => ({ apiVersion: 'v1', kind: 'Thing', ...(fields as JsonObject) }));

const operation = fc.record(
  {
    op: fc.oneof(fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'), hostileJson),
    path: fc.oneof(fc.constantFrom('', '/', '/__proto__', '/files/0', '/files/-', '/storage/x'), hostileJson),
    from: fc.oneof(fc.constantFrom('/__proto__', '/constructor', '/files', '/files/-1'), hostileJson),
    value: hostile,
  },
  { requiredKeys: [] },
);
const operations = fc.oneof(fc.array(fc.oneof(operation, hostileJson), { maxLength: 5 }), hostile);

function check(inputs: readonly unknown[], run: () => Patched<unknown>): void {
  const before = inputs.map(canonicalJson);
  const outcome = run();
  expect(['ok', 'error']).toContain(outcome.kind);
  expect(inputs.map(canonicalJson)).toEqual(before);
  expect(({} as { evil?: unknown; path?: unknown }).path).toBeUndefined();
}

describe('arbitrary input', () => {
  it('never makes JSON patches throw', () => {
    fc.assert(
      fc.property(hostile, operations, (document, patch) =>
        check([document, patch], () => applyJsonPatch(document as Json, patch)),
      ),
      { numRuns: 1000 },
    );
  });

  it('never makes merge patches throw', () => {
    fc.assert(
      fc.property(hostile, hostile, (document, patch) =>
        check([document, patch], () => applyMergePatch(document as Json, patch)),
      ),
      { numRuns: 1000 },
    );
  });

  it('never makes strategic merge patches throw', () => {
    const either = fc.oneof(hostileObject, hostile);
    fc.assert(
      fc.property(either, either, (document, patch) =>
        check([document, patch], () => applyStrategicMergePatch(schema, document as Json, patch)),
      ),
      { numRuns: 2000 },
    );
  });

  it('never makes server-side apply throw', () => {
    const either = fc.oneof(hostileObject, hostile);
    fc.assert(
      fc.property(
        fc.option(hostileObject, { nil: undefined }),
        either,
        fc.boolean(),
        (live, applied, force) => check([live, applied], () => apply({ ...writer, live, applied, force })),
      ),
      { numRuns: 2000 },
    );
  });

  it('never makes the update of managed fields throw', () => {
    fc.assert(
      fc.property(fc.option(hostileObject, { nil: undefined }), hostileObject, (before, after) => {
        check([before, after], () => updateManagedFields({ ...writer, before, after }));
        ignoreTimestampChanges(before ?? {}, after);
      }),
      { numRuns: 1000 },
    );
  });

  it('never makes the decoding of FieldsV1 throw', () => {
    const key = fc.oneof(
      fc.string(),
      fc.constantFrom('f:a', 'k:{"a":1}', 'v:[', 'v:1', 'i:1', '.', 'f:__proto__'),
    );
    const fields = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, hostileJson, fc.dictionary(key, tie('value'), { maxKeys: 4 })),
    })).value;
    fc.assert(
      fc.property(fields, (value) => {
        const set = decodeFields(value);
        if (!('failure' in set)) encodeFields(set);
        decodeManagedFields([value as Json]);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('input that is too large to traverse', () => {
  const deep = (levels: number): Json => {
    let value: Json = {};
    for (let level = 0; level < levels; level++) value = { a: value };
    return value;
  };
  const circle: { a?: unknown } = {};
  circle.a = circle;
  let shared: unknown = [];
  for (let level = 0; level < 60; level++) shared = [shared, shared];

  it.each<[string, unknown, RegExp]>([
    ['too deep', deep(5000), /nests deeper than 100 levels/],
    ['circular', circle, /nests deeper than 100 levels/],
    ['exponentially large by shared parts', shared, /holds more than 1000000 values/],
    ['not JSON', { a: undefined }, /is not JSON: it holds a undefined/],
    ['a function', { a: [() => 1] }, /is not JSON: it holds a function/],
  ])('being %s is rejected by all', (_, value, message) => {
    const outcomes = [
      applyJsonPatch({}, value),
      applyJsonPatch(value as Json, []),
      applyMergePatch({}, value),
      applyMergePatch(value as Json, {}),
      applyStrategicMergePatch(schema, {}, value),
      applyStrategicMergePatch(schema, value as Json, {}),
      apply({ ...writer, live: undefined, applied: value, force: false }),
      apply({ ...writer, live: value as JsonObject, applied: {}, force: false }),
    ];
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        kind: 'error',
        message: expect.stringMatching(message),
      });
    }
    const updated = updateManagedFields({ ...writer, before: undefined, after: value as JsonObject });
    // The matchers cannot traverse such a deep value.
    expect(updated.kind === 'ok' && updated.value === value).toBe(true);
    expect(updated.kind === 'ok' && updated.warnings[0]?.message).toMatch(message);
  });
});
