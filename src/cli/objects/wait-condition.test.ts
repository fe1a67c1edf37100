import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { checkWait, deletionReason, parseWaitFor, waitReason } from './wait-condition.ts';

describe('parseWaitFor', () => {
  it.each([
    '',
    'condition',
    'condition=',
    'condition=A=',
    'condition=A=b=c',
    'deleted',
    'delete=1',
    'jsonpath={.a}=b',
  ])('rejects %j', (text) => expect(parseWaitFor(text).kind).toBe('invalid'));

  it.each([
    ['delete', { kind: 'delete' }],
    ['create', { kind: 'create' }],
    ['condition=Updated', { kind: 'condition', type: 'Updated', status: 'true' }],
    ['condition=Degraded=False', { kind: 'condition', type: 'Degraded', status: 'False' }],
  ])('parses %s', (text, value) => expect(parseWaitFor(text)).toEqual({ kind: 'ok', value, warnings: [] }));
});

const updated = { kind: 'condition', type: 'updated', status: 'true' } as const;

function pool(condition: JsonObject, more: JsonObject = {}): JsonObject {
  return { metadata: { generation: 2 }, status: { conditions: [{ type: 'Other' }, condition], ...more } };
}

describe('checkWait for a condition', () => {
  it.each<[string, JsonObject | undefined, string, string]>([
    ['of no object', undefined, 'impossible', 'it has no condition updated'],
    ['that is not there', { status: { conditions: 3 } }, 'pending', 'it has no condition updated'],
    ['without a status', pool({ type: 'Updated' }), 'pending', 'Updated is undefined'],
    [
      'of another status',
      pool({ type: 'Updated', status: 'False', reason: 'Moving', message: '1 of 3' }),
      ...(['pending', 'Updated is False: Moving: 1 of 3'] as const),
    ],
    [
      'of an earlier generation',
      pool({ type: 'Updated', status: 'True' }, { observedGeneration: 1 }),
      ...(['pending', 'Updated is True, but for an earlier generation'] as const),
    ],
    [
      'that itself is of an earlier generation',
      pool({ type: 'Updated', status: 'True', observedGeneration: 1 }, { observedGeneration: 2 }),
      ...(['pending', 'Updated is True, but for an earlier generation'] as const),
    ],
  ])('is not met by %s', (_what, object, verdict, reason) => {
    expect(checkWait(updated, object)).toBe(verdict);
    expect(waitReason(updated, object)).toBe(reason);
  });

  it.each([
    pool({ type: 'Updated', status: 'True' }),
    pool({ type: 'UPDATED', status: 'true' }, { observedGeneration: 2 }),
    pool({ type: 'Updated', status: 'True', observedGeneration: 2 }, { observedGeneration: 1 }),
  ])('is met case-insensitively: %j', (object) => expect(checkWait(updated, object)).toBe('met'));
});

it('checkWait supports create and delete', () => {
  expect([checkWait({ kind: 'create' }, undefined), checkWait({ kind: 'create' }, {})]).toEqual([
    'pending',
    'met',
  ]);
  expect([checkWait({ kind: 'delete' }, undefined), checkWait({ kind: 'delete' }, {})]).toEqual([
    'met',
    'pending',
  ]);
  expect(waitReason({ kind: 'create' }, undefined)).toBe('it does not exist');
  expect(waitReason({ kind: 'delete' }, {})).toBe('it is not being deleted');
});

it('deletionReason names the finalizers of an object', () => {
  const metadata = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  expect(deletionReason({ metadata: { ...metadata, finalizers: ['a/b', 'c'] } })).toBe(
    'it is being deleted and has finalizers a/b, c',
  );
  expect(deletionReason({ metadata })).toBe('it is being deleted');
  expect(deletionReason(undefined)).toBe('it is not being deleted');
});
