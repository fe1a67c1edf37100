import { describe, expect, it } from 'vitest';
import { parseIncludeObject } from './include-object.ts';

describe('includeObject', () => {
  // Recorded from kube-apiserver 1.33.
  it.each([
    ['Some', '"Some"'],
    ['none', '"none"'],
    ['"\n', '"\\"\\n"'],
    ['__proto__', '"__proto__"'],
  ])('is rejected as %j', (text, quoted) => {
    const message = `Unable to convert to Table as requested: includeObject: Invalid value: ${quoted}: must be 'Metadata', 'Object', 'None', or empty`;
    expect(parseIncludeObject(text)).toEqual({ kind: 'invalid', problems: [{ path: '', message }] });
  });

  it.each([
    [undefined, 'Metadata'],
    ['', 'Metadata'],
    ['Metadata', 'Metadata'],
    ['Object', 'Object'],
    ['None', 'None'],
  ])('is parsed from %j as %s', (text, value) => {
    expect(parseIncludeObject(text)).toEqual({ kind: 'ok', value, warnings: [] });
  });
});
