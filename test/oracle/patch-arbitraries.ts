/**
 * Random documents and patches that overlap: few names, so that a patch mostly refers to existing fields.
 */
import fc from 'fast-check';
import type { Json } from '../../src/base/json.ts';
import type { PatchQuestion } from './patch-questions.ts';

const some = fc.constantFrom;

/** Names that are hard to find or to preserve. */
const key = some('a', 'b', 'c', 'd/e', 'f~g', '~1', '0', '-', '', '__proto__', 'constructor');
const scalar: fc.Arbitrary<Json> = some<Json>(0, 1, -7, 1.5, 1e21, true, false, '', 'x', 'y"z', '<é>\u2028');

/** `nulls`: how often a value is null, in ten. */
function value(nulls: number): fc.Arbitrary<Json> {
  return fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      { weight: 6, arbitrary: scalar },
      { weight: nulls, arbitrary: fc.constant(null) },
      { weight: 4, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
      {
        weight: 6,
        arbitrary: fc
          .array(fc.tuple(key, tie('value')), { maxLength: 3 })
          .map((entries) => Object.fromEntries(entries)),
      },
    ),
  })).value;
}

function anObject(nulls: number): fc.Arbitrary<Json> {
  return fc
    .array(fc.tuple(key, value(nulls)), { maxLength: 4 })
    .map((entries) => Object.fromEntries(entries));
}

const escaped = (name: string) => name.replace(/~/g, '~0').replace(/\//g, '~1');

/** Paths that exist in the document, with their values. */
function places(document: Json, path = ''): readonly { path: string; value: Json }[] {
  if (typeof document !== 'object' || document === null) return [{ path, value: document }];
  const children = Object.entries(document as { [key: string]: Json });
  return [
    { path, value: document },
    ...children.flatMap(([name, item]) => places(item, `${path}/${escaped(name)}`)),
  ];
}

const step = fc.oneof(key.map(escaped), some('-', '1', '-1', '+0', '00', '-9', '99999999999999999999', 'x'));

function anOperation(document: Json): fc.Arbitrary<unknown> {
  const known = fc.constantFrom(...places(document));
  const path = fc.oneof(
    { weight: 8, arbitrary: known.map((place) => place.path) },
    { weight: 4, arbitrary: fc.tuple(known, step).map(([place, name]) => `${place.path}/${name}`) },
    { weight: 1, arbitrary: some('', '/', 'a', 'a/b', '//', '/a/b/c/d') },
  );
  const content = value(0);
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ op: some('add', 'replace'), path, value: content }) },
    { weight: 2, arbitrary: fc.record({ op: fc.constant('remove'), path }) },
    { weight: 4, arbitrary: fc.record({ op: some('move', 'copy'), from: path, path }) },
    { weight: 3, arbitrary: known.map((place) => ({ op: 'test', path: place.path, value: place.value })) },
    { weight: 1, arbitrary: fc.record({ op: fc.constant('test'), path, value: content }) },
    {
      weight: 1,
      arbitrary: fc.record(
        { op: some('add', 'remove', 'test', 'move', 'x'), path, from: path, foo: content },
        { requiredKeys: [] },
      ),
    },
  );
}

/**
 * Patches of up to four operations. Without nulls: the library crashes on those that were set before, so that there is
 * no result to compare.
 */
export const jsonPatchQuestion: fc.Arbitrary<PatchQuestion> = anObject(0).chain((document) =>
  fc.array(anOperation(document), { maxLength: 4 }).map((patch) => ({ document, patch })),
);

export const mergePatchQuestion: fc.Arbitrary<PatchQuestion> = fc.record({
  document: anObject(1),
  patch: anObject(3),
});

const keyScalar = some<Json>(
  ...[0, 1, -3, 2, 10, 1.5, 1e-7, 1e21, 123456789],
  ...['a', 'b', '<é>', '"', '\\', '\b', '\u2028'],
  ...[true, false, null],
);
const fieldKey = fc.oneof(
  some('a', 'b', 'é', '<', '"', '.', '', 'a:b', '__proto__', '\u{1F600}', '\uffff').map(
    (name) => `f:${name}`,
  ),
  keyScalar.map((value) => `v:${JSON.stringify(value)}`),
  fc
    .dictionary(some('a', 'b', 'n<'), keyScalar, { minKeys: 1, maxKeys: 2 })
    .map((keys) => `k:${JSON.stringify(keys)}`),
  some(0, 1, 2, 10, -1).map((index) => `i:${index}`),
  some('.', '.', 'x:y'),
);

/** FieldsV1 with every kind of path element, also an unknown one. */
export const anyFields: fc.Arbitrary<Json> = fc.letrec<{ fields: Json }>((tie) => ({
  fields: fc.oneof({ maxDepth: 3 }, fc.constant({}), fc.dictionary(fieldKey, tie('fields'), { maxKeys: 5 })),
})).fields;
