import { describe, expect, it } from 'vitest';
import type { ObjectMeta } from '../kubernetes/meta/index.ts';
import {
  annotationOf,
  conditionOf,
  conditionsOf,
  hasTrueCondition,
  labelOf,
  nameOf,
} from './object-fields.ts';

const object = (metadata: Partial<ObjectMeta>) => ({ metadata: { name: 'a', ...metadata } });

describe('a field that is not there', () => {
  it('is never found in what objects inherit', () => {
    expect(annotationOf(object({ annotations: {} }), 'constructor')).toBeUndefined();
    expect(labelOf(object({ labels: {} }), '__proto__')).toBeUndefined();
  });

  it('is not an empty text', () => {
    expect(annotationOf(object({ annotations: { a: '' } }), 'a')).toBe('');
    expect(annotationOf(object({ annotations: { a: '' } }), 'b')).toBeUndefined();
    expect(annotationOf(object({}), 'a')).toBeUndefined();
  });

  it('is not made up from something of another kind', () => {
    // What an unchecked file may hold in the place of texts and maps.
    const junk = JSON.parse(
      '{"metadata":{"name":1,"labels":[],"annotations":{"a":2}},"status":{"conditions":{}}}',
    );
    expect([nameOf(junk), labelOf(junk, '0'), annotationOf(junk, 'a')]).toEqual(['', undefined, undefined]);
    expect(conditionsOf(junk)).toEqual([]);
    expect(conditionsOf({ status: { conditions: [null, 1, { type: 'Ready' }] } })).toEqual([
      { type: 'Ready', status: '', reason: '', message: '' },
    ]);
  });
});

describe('conditions', () => {
  it('are read by the first of their type', () => {
    const twice = {
      status: {
        conditions: [
          { type: 'A', status: 'True' },
          { type: 'A', status: 'False' },
        ],
      },
    };
    expect(conditionOf(twice, 'A')?.status).toBe('True');
    expect(hasTrueCondition(twice, 'A')).toBe(true);
    expect(hasTrueCondition(twice, 'B')).toBe(false);
  });
});
