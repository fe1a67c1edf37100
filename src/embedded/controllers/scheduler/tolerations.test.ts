import { describe, expect, it } from 'vitest';
import type { Toleration } from '../../../kubernetes/types/index.ts';
import { isTolerated, type Taint, tolerates } from './tolerations.ts';

const taint: Taint = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' };
const table: readonly (readonly [string, Toleration, boolean])[] = [
  ['another key', { key: 'other', operator: 'Exists' }, false],
  ['another value', { key: 'dedicated', value: 'cpu' }, false],
  ['no value', { key: 'dedicated' }, false],
  ['another effect', { key: 'dedicated', operator: 'Exists', effect: 'NoExecute' }, false],
  ['the value', { key: 'dedicated', value: 'gpu' }, true],
  [
    'the value and the effect',
    { key: 'dedicated', operator: 'Equal', value: 'gpu', effect: 'NoSchedule' },
    true,
  ],
  ['any value', { key: 'dedicated', operator: 'Exists' }, true],
  ['every taint', { operator: 'Exists' }, true],
  ['every taint of the effect', { operator: 'Exists', effect: 'NoSchedule' }, true],
  ['every taint of another effect', { operator: 'Exists', effect: 'NoExecute' }, false],
];

describe('a toleration', () => {
  it.each(table)('of %s', (_, toleration, expected) => {
    expect(tolerates(toleration, taint)).toBe(expected);
  });

  it('of a key without a value matches a taint without one', () => {
    expect(tolerates({ key: 'a' }, { key: 'a', effect: 'NoSchedule' })).toBe(true);
  });

  it('is sufficient if one of several matches', () => {
    expect(isTolerated([], taint)).toBe(false);
    expect(isTolerated([{ key: 'other' }, { operator: 'Exists' }], taint)).toBe(true);
  });
});
