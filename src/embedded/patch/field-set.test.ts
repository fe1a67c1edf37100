import { describe, expect, it } from 'vitest';
import {
  differenceOf,
  type FieldSet,
  hasPath,
  intersectionOf,
  isEmptySet,
  pathsOf,
  recursiveDifferenceOf,
  setOfFields,
  unionOf,
} from './field-set.ts';
import { decodeFields, encodeFields } from './fields-v1.ts';
import { fieldElement, indexElement, keyElement, pathText, valueElement } from './path-element.ts';

/** `a.b` for each path. */
function set(...paths: string[]): FieldSet {
  return setOfFields(paths.map((path) => path.split('.')));
}

function texts(fields: FieldSet): readonly string[] {
  return pathsOf(fields).map((path) => pathText(path).slice(1));
}

describe('field sets', () => {
  it.each<[string, (a: FieldSet, b: FieldSet) => FieldSet, string[]]>([
    ['are united', unionOf, ['a', 'd', 'a.b', 'a.c', 'd.e']],
    ['are intersected', intersectionOf, ['a.b']],
    ['are subtracted path by path', differenceOf, ['a', 'a.c']],
    ['are subtracted recursively', recursiveDifferenceOf, ['a', 'a.c']],
  ])('%s', (_, operation, expected) => {
    expect(texts(operation(set('a', 'a.b', 'a.c'), set('a.b', 'd', 'd.e')))).toEqual(expected);
  });

  it('are returned as is if nothing changes', () => {
    const all = set('a', 'a.b', 'c');
    expect(unionOf(all, set('a.b'))).toBe(all);
    expect(unionOf(set('c'), all)).toBe(all);
    expect(unionOf(all, set('c', 'a.b'))).toBe(all);
    expect(differenceOf(all, set('x', 'a.x'))).toBe(all);
    expect(recursiveDifferenceOf(all, set('a.b.c'))).toBe(all);
    expect(intersectionOf(all, set('a', 'a.b', 'a.c', 'c'))).toBe(all);
    expect(texts(unionOf(set('a.b'), set('a.c')))).toEqual(['a.b', 'a.c']);
  });

  it('differ in what is below a removed path', () => {
    expect(texts(differenceOf(set('a', 'a.b', 'a.b.c'), set('a.b')))).toEqual(['a', 'a.b.c']);
    expect(texts(recursiveDifferenceOf(set('a', 'a.b', 'a.b.c'), set('a.b')))).toEqual(['a']);
  });

  it('are empty once nothing is left', () => {
    expect(isEmptySet(differenceOf(set('a.b.c'), set('a.b.c')))).toBe(true);
    expect(isEmptySet(set('a.b'))).toBe(false);
  });

  it('contain their members, not what is above or below', () => {
    const fields = set('a.b');
    expect(hasPath(fields, [fieldElement('a'), fieldElement('b')])).toBe(true);
    expect(hasPath(fields, [fieldElement('a')])).toBe(false);
    expect(hasPath(fields, [])).toBe(false);
  });
});

describe('FieldsV1', () => {
  it('is in the order in which Kubernetes writes it', () => {
    const fields = {
      'i:1': {},
      'v:10': {},
      'v:9': {},
      'v:"a"': {},
      'k:{"name":"b","port":9}': { 'f:x': {} },
      'k:{"port":80,"name":"a"}': { '.': {}, 'f:x': {} },
      'f:b': {},
      'f:a': { 'f:c': {}, '.': {} },
    };
    const read = decodeFields(fields);
    expect('failure' in read ? read.failure : JSON.stringify(encodeFields(read))).toBe(
      '{"f:a":{".":{},"f:c":{}},"f:b":{},"k:{\\"name\\":\\"a\\",\\"port\\":80}":{".":{},"f:x":{}},' +
        '"k:{\\"name\\":\\"b\\",\\"port\\":9}":{"f:x":{}},"v:9":{},"v:10":{},"v:\\"a\\"":{},"i:1":{}}',
    );
  });

  it.each([[5], [{ x: {} }], [{ 'f:a': 5 }], [{ 'k:5': {} }], [{ 'v:': {} }], [{ 'i:x': {} }]])(
    'that is %j is wrong',
    (fields) => expect(decodeFields(fields)).toHaveProperty('failure'),
  );

  it('skips path elements of unknown kinds', () => {
    const read = decodeFields({ 'f:a': { 'x:y': {} }, 'x:z': {} });
    expect('failure' in read ? read : encodeFields(read)).toEqual({ 'f:a': {} });
  });
});

describe('pathText', () => {
  it('formats paths as in messages of kube-apiserver', () => {
    const path = [
      fieldElement('spec'),
      keyElement([
        { name: 'protocol', value: 'TCP' },
        { name: 'containerPort', value: 1234567 },
      ]),
      valueElement('a"b'),
      indexElement(3),
    ];
    expect(pathText(path)).toBe('.spec[containerPort=1.234567e+06,protocol="TCP"][="a\\"b"][3]');
    expect(pathText(path, 'whole')).toBe('.spec[containerPort=1234567,protocol="TCP"][="a\\"b"][3]');
  });
});
