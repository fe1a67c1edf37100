import { describe, expect, it } from 'vitest';
import { firstShared, readIndexes } from './job-indexes.ts';

describe('job indexes', () => {
  it.each([
    ['', 0],
    ['4', 1],
    ['1,3-4', 3],
    ['0-4', 5],
  ])('counts the indexes in %s', (text, count) => {
    expect(readIndexes(text, 5)).toMatchObject({ kind: 'read', count });
  });

  it.each([
    ['x', 'cannot convert string to integer for index: "x"'],
    ['-1', 'cannot convert string to integer for index: ""'],
    ['1,', 'cannot convert string to integer for index: ""'],
    ['5', 'too large index: "5"'],
    ['1-9', 'too large index: "9"'],
    ['3,1', 'non-increasing order, previous: 3, current: 1'],
    ['1-3,3', 'non-increasing order, previous: 3, current: 3'],
    ['4-2', 'non-increasing order, previous: 4, current: 2'],
    [
      '1-2-3',
      `the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by '-'`,
    ],
  ])('fails to parse %s', (text, message) => {
    expect(readIndexes(text, 5)).toEqual({ kind: 'failed', message });
  });

  it.each([
    ['1,3-5', '0,2,4-6', 4],
    ['0-2', '2-3', 2],
    ['0,2,4', '1,3,5', undefined],
    ['', '1', undefined],
    ['1', 'x', undefined],
  ])('%s and %s share %s first', (one, other, shared) => {
    expect(firstShared(readIndexes(one, 9), readIndexes(other, 9))).toBe(shared);
  });
});
