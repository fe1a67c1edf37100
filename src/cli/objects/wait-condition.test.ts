import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { deletionReason, judgeWait, parseWaitFor, waitReason } from './wait-condition.ts';

describe('what can be waited for', () => {
  it.each([
    '',
    'condition',
    'condition=',
    'condition=A=',
    'condition=A=b=c',
    'deleted',
    'delete=1',
    'jsonpath={.a}=b',
  ])('is not %j', (text) => expect(parseWaitFor(text).kind).toBe('invalid'));

  it.each([
    ['delete', { kind: 'delete' }],
    ['create', { kind: 'create' }],
    ['condition=Updated', { kind: 'condition', type: 'Updated', status: 'true' }],
    ['condition=Degraded=False', { kind: 'condition', type: 'Degraded', status: 'False' }],
  ])('is %s', (text, value) => expect(parseWaitFor(text)).toEqual({ kind: 'ok', value, warnings: [] }));
});

const updated = { kind: 'condition', type: 'updated', status: 'true' } as const;

function pool(condition: JsonObject, more: JsonObject = {}): JsonObject {
  return { metadata: { generation: 2 }, status: { conditions: [{ type: 'Other' }, condition], ...more } };
}

describe('a condition', () => {
  it.each<[string, JsonObject | undefined, string, string]>([
    ['of no object', undefined, 'lost', 'it has no condition updated'],
    ['that is not there', { status: { conditions: 3 } }, 'not yet', 'it has no condition updated'],
    ['without a status', pool({ type: 'Updated' }), 'not yet', 'Updated is undefined'],
    [
      'of another status',
      pool({ type: 'Updated', status: 'False', reason: 'Moving', message: '1 of 3' }),
      ...(['not yet', 'Updated is False: Moving: 1 of 3'] as const),
    ],
    [
      'of an earlier generation',
      pool({ type: 'Updated', status: 'True' }, { observedGeneration: 1 }),
      ...(['not yet', 'Updated is True, but that is of an earlier generation'] as const),
    ],
    [
      'that itself is of an earlier generation',
      pool({ type: 'Updated', status: 'True', observedGeneration: 1 }, { observedGeneration: 2 }),
      ...(['not yet', 'Updated is True, but that is of an earlier generation'] as const),
    ],
  ])('%s is not met', (_what, object, verdict, reason) => {
    expect(judgeWait(updated, object)).toBe(verdict);
    expect(waitReason(updated, object)).toBe(reason);
  });

  it.each([
    pool({ type: 'Updated', status: 'True' }),
    pool({ type: 'UPDATED', status: 'true' }, { observedGeneration: 2 }),
    pool({ type: 'Updated', status: 'True', observedGeneration: 2 }, { observedGeneration: 1 }),
  ])('is met whatever its case: %j', (object) => expect(judgeWait(updated, object)).toBe('met'));
});

it('objects are there or are gone', () => {
  expect([judgeWait({ kind: 'create' }, undefined), judgeWait({ kind: 'create' }, {})]).toEqual([
    'not yet',
    'met',
  ]);
  expect([judgeWait({ kind: 'delete' }, undefined), judgeWait({ kind: 'delete' }, {})]).toEqual([
    'met',
    'not yet',
  ]);
  expect(waitReason({ kind: 'create' }, undefined)).toBe('it is not there');
  expect(waitReason({ kind: 'delete' }, {})).toBe('nobody has asked it to go');
});

it('what keeps an object is named', () => {
  const metadata = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  expect(deletionReason({ metadata: { ...metadata, finalizers: ['a/b', 'c'] } })).toBe(
    'it is to go, and waits for a/b, c',
  );
  expect(deletionReason({ metadata })).toBe('it is to go, and has not ended yet');
  expect(deletionReason(undefined)).toBe('nobody has asked it to go');
});
