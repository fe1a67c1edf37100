import { describe, expect, it } from 'vitest';
import {
  annotationOf,
  conditionOf,
  conditionsOf,
  hasTrueCondition,
  labelOf,
  nameOf,
} from './object-fields.ts';
import type { ObjectMeta } from './object-meta.ts';

const object = (metadata: Partial<ObjectMeta>) => ({ metadata: { name: 'a', ...metadata } });

describe('metadata accessors', () => {
  it('never find inherited members', () => {
    expect(annotationOf(object({ annotations: {} }), 'constructor')).toBeUndefined();
    expect(labelOf(object({ labels: {} }), '__proto__')).toBeUndefined();
  });

  it('distinguish an absent key from an empty value', () => {
    expect(annotationOf(object({ annotations: { a: '' } }), 'a')).toBe('');
    expect(annotationOf(object({ annotations: { a: '' } }), 'b')).toBeUndefined();
    expect(annotationOf(object({}), 'a')).toBeUndefined();
  });

  it('treat values of the wrong type as absent', () => {
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

describe('conditionOf', () => {
  it('returns the first condition of the type', () => {
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
