import { describe, expect, it } from 'vitest';
import { deepFreeze } from './deep-freeze.ts';

/** Every object within, the value itself included. */
function objectsIn(root: object): readonly object[] {
  const found = [root];
  for (const value of found) {
    for (const item of Object.values(value) as unknown[])
      if (typeof item === 'object' && item !== null) found.push(item);
  }
  return found;
}

describe('deepFreeze', () => {
  it('freezes every object and list', () => {
    const value = deepFreeze({ a: [{ b: [[1, null, { c: 'x' }]] }], d: {}, e: [] });
    expect(objectsIn(value).every((one) => Object.isFrozen(one))).toBe(true);
    expect(objectsIn(value)).toHaveLength(8);
  });

  it('freezes values of unusual keys', () => {
    const value = deepFreeze(
      JSON.parse('{"__proto__":{"a":{}},"constructor":{"b":[]},"0":{"":{}}}') as object,
    );
    expect(objectsIn(value)).toHaveLength(7);
    expect(objectsIn(value).every((one) => Object.isFrozen(one))).toBe(true);
  });

  it('freezes values that are nested deeper than any stack', () => {
    const depth = 200_000;
    let value: object = { bottom: true };
    const bottom = value;
    for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { value };
    deepFreeze(value);
    expect([Object.isFrozen(value), Object.isFrozen(bottom)]).toEqual([true, true]);
  });
});
