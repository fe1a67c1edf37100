import { describe, expect, it } from 'vitest';
import { type FieldSelector, parseFieldSelector } from './field-selector.ts';

describe('parseFieldSelector of an invalid selector', () => {
  // The errors of kube-apiserver 1.33.
  it.each([
    ['metadata.name', "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ['x!y', "invalid selector: 'x!y'; can't understand 'x!y'"],
    ['b=1,a', "invalid selector: 'b=1,a'; can't understand 'a'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a===b', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\b', 'invalid field selector: invalid escape sequence: \\b'],
    ['a=\\é', 'invalid field selector: invalid escape sequence: \\é'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
  ])('returns the error of kube-apiserver: %j', (text, message) => {
    expect(parseFieldSelector(text)).toEqual({ kind: 'invalid', problems: [{ path: '', message }] });
  });

  it('takes linear time', () => {
    expect(parseFieldSelector('!'.repeat(200_000)).kind).toBe('invalid');
  });
});

describe('parseFieldSelector', () => {
  it.each<[string, FieldSelector]>([
    ['', []],
    [',,', []],
    ['=,!=,==', []],
    ['a=b', [{ field: 'a', operator: '=', value: 'b' }]],
    ['a==b', [{ field: 'a', operator: '=', value: 'b' }]],
    ['a!=b', [{ field: 'a', operator: '!=', value: 'b' }]],
    ['a=', [{ field: 'a', operator: '=', value: '' }]],
    ['=b', [{ field: '', operator: '=', value: 'b' }]],
    [' a = b ', [{ field: ' a ', operator: '=', value: ' b ' }]],
    ['a!b=c', [{ field: 'a!b', operator: '=', value: 'c' }]],
    ['a=b\\,c\\=d\\\\', [{ field: 'a', operator: '=', value: 'b,c=d\\' }]],
    [
      'b=2,a!=1',
      [
        { field: 'a', operator: '!=', value: '1' },
        { field: 'b', operator: '=', value: '2' },
      ],
    ],
  ])('returns the requirements of %j', (text, terms) => {
    expect(parseFieldSelector(text)).toEqual({ kind: 'ok', value: terms, warnings: [] });
  });
});
