import { describe, expect, it } from 'vitest';
import type { Json } from '../../base/json.ts';
import { find } from './json-path.ts';
import { parseJsonPath } from './parse-json-path.ts';

const object: Json = {
  metadata: { annotations: { 'example.com/by': 'me' } },
  spec: {
    a: 'A',
    list: [{ name: 'x' }, { name: 'y' }, 'three'],
    m: { x: 'mx' },
    'm.x': 'dotted',
    nul: null,
    empty: [],
    conds: [
      { type: 'Ready', status: 'True', n: 1, on: true, f: 2.5, list: ['q'] },
      { type: 'Other', status: 'False', n: 2, on: false, f: 1.5 },
      { type: 'a)b', status: 'bracket', n: 3 },
      { type: 'a"b', status: 'quote', n: 4 },
    ],
    nested: [
      { id: 1, inner: ['p', 'q'] },
      { id: 2, inner: [] },
      { id: 3, inner: ['r'] },
    ],
  },
};

function found(text: string): readonly Json[] | undefined | 'no path' {
  const path = parseJsonPath(text);
  return path === undefined ? 'no path' : find(path, object);
}

// Cells of kube-apiserver 1.33 show the same first value.
describe('JSONPath', () => {
  it.each([
    ['....'],
    ['.spec.a\\'],
    ['.spec.list['],
    ['.spec.list[x]'],
    ['.spec.list[-]'],
    ['.spec.list[ 0 ]'],
    ['.spec.list[1:2:3:4]'],
    ['.spec.list[99999999999999999999]'],
    ['.spec["a"]'],
    ['.spec.conds[?(@.type=="Ready"].status'],
    ['.spec.conds[?(@.type=="Ready")'],
    ['.spec "a\\q"'],
    ['.spec "a'],
    ['.spec 1.2.3'],
    ['.spec -'],
    ['.spec ;'],
    ['.spec\n'],
    ['.spec[0\n]'],
    [`.spec${"['a"}`],
  ])('fails to parse %j', (text) => {
    expect(found(text)).toBe('no path');
  });

  it.each([
    ['an index beyond the end', '.spec.list[9]'],
    ['a negative index beyond the start', '.spec.list[-9]'],
    ['a slice beyond the end', '.spec.list[0:9]'],
    ['a slice that ends before its start', '.spec.list[2:1]'],
    ['a step of zero', '.spec.list[::0]'],
    ['an index of an empty list', '.spec.empty[0]'],
    ['an index of a string', '.spec.a[0]'],
    ['a filter of a map', '.spec.m[?(@.x)]'],
    ['a filter of null', '.spec.nul[?(@.x)]'],
    ['a string compared with a number', '.spec.conds[?(@.type==5)]'],
    ['an integer compared with a float', '.spec.conds[?(@.n==2.5)]'],
    ['booleans compared by order', '.spec.conds[?(@.on<true)]'],
    ['an unknown operator', '.spec.conds[?(@.type="Ready")]'],
    ['several values in a comparison', '.spec.conds[?(@.*=="Ready")]'],
    ['an unquoted word', '.spec.conds[?(@.type==Ready)]'],
  ])('finds nothing for %s', (_, text) => {
    expect(found(text)).toBeUndefined();
  });

  it.each<[string, readonly Json[]]>([
    ['.spec.a', ['A']],
    ['$.spec.a', ['A']],
    [' @.spec .a', ['A']],
    ['.spec.a}{.spec.none', ['A']],
    ['.none.x', []],
    ['.spec.a.b', []],
    ['.spec.nul', [null]],
    ['.spec.nul.x', []],
    ['.spec.nul[0]', []],
    ['.spec.constructor', []],
    ['.__proto__', []],
    ["['spec']['a']", ['A']],
    ["['spec']['m.x']", ['mx']],
    ["['spec']['m\\.x']", ['dotted']],
    ['.spec.m\\.x', ['dotted']],
    ['.metadata.annotations.example\\.com/by', ['me']],
    ["['spec']['a','nul']", ['A', null]],
    ['.spec.list[*].name', ['x', 'y']],
    ['.spec.list[0].name', ['x']],
    ['.spec.list[].name', ['x']],
    ['.spec.list[-1]', ['three']],
    ['.spec.list[-2].name', ['y']],
    ['.spec.list[1:].name', ['y']],
    ['.spec.list[:-1].name', ['x', 'y']],
    ['.spec.list[::2]', [{ name: 'x' }, 'three']],
    ['.spec.list[2, 0]', ['three', { name: 'x' }]],
    ['.spec.list[1:1]', []],
    ['.spec.empty[*]', []],
    ['.spec.nested[*].inner[*]', ['p', 'q']],
    ['.spec.nested[2:].inner[*]', ['r']],
    ['.spec.m.*', ['mx']],
    ['.spec.a.*', []],
    ['.spec.nested..inner', [['p', 'q'], [], ['r']]],
    ['..x', ['mx']],
    ['.spec.a..', ['A']],
    ['.spec.conds[?(@.type=="Ready")].status', ['True']],
    [".spec.conds[?(@.type=='Ready')].status", ['True']],
    ['.spec.conds[?( "Ready" == @.type )].status', ['True']],
    ['.spec.conds[?(@.type!="Ready")].n', [2, 3, 4]],
    ['.spec.conds[?(@.type=="None")].status', []],
    ['.spec.conds[?(@.type=="a)b")].status', ['bracket']],
    ['.spec.conds[?(@.type=="a\\"b")].status', ['quote']],
    ['.spec.conds[?(@.type>"Other")].n', [1, 3, 4]],
    ['.spec.conds[?(@.n>2)].n', [3, 4]],
    ['.spec.conds[?(@.n>=2)].n', [2, 3, 4]],
    ['.spec.conds[?(@.n<2)].n', [1]],
    ['.spec.conds[?(@.n<=2)].n', [1, 2]],
    ['.spec.conds[?(@.f==2.5)].n', [1]],
    ['.spec.conds[?(@.on==true)].n', [1]],
    ['.spec.conds[?(@.on)].n', [1, 2]],
    ['.spec.conds[?(@.list[0])].n', [1]],
    ['.spec.conds[?(@.list[5])].n', [1]],
    ['.spec.conds[?(@.none==@.other)].n', []],
    ['.spec "x"', ['x']],
    ['.none "x"', ['x']],
    [".spec 'a\\n\\x41\\u00e9\\U0001F600\\101'", ['a\nAé😀A']],
    ['.spec -5', [-5]],
    ['.spec true', [true]],
    ['.none 5', []],
  ])('finds the same as kube-apiserver: %j', (text, values) => {
    expect(found(text)).toEqual(values);
  });

  it('is parsed in linear time', () => {
    const long = '['.repeat(50_000);
    expect(found(`.spec${long}`)).toBe('no path');
    expect(found(`.spec${'.a'.repeat(50_000)}`)).toEqual([]);
    expect(found(`.spec[?(${'a'.repeat(50_000)}`)).toBe('no path');
  });
});
