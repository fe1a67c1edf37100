import { describe, expect, test } from 'vitest';
import { formatSelector, isEmptySelector, matchesSelector, selectorProblems } from './label-selector.ts';
import type { LabelSelector } from './shapes.ts';

const demand = (key: string, operator: string, ...values: readonly string[]): LabelSelector => ({
  matchExpressions: [{ key, operator, ...(values.length === 0 ? {} : { values }) }],
});

const NAME =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const PREFIX =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

describe('selectorProblems', () => {
  const at = 'spec.nodeSelector.matchExpressions[0]';
  test.each<[string, LabelSelector, string, string]>([
    [
      'an unknown operator',
      demand('a', 'Matches', 'b'),
      `${at}.operator`,
      'Invalid value: "Matches": not a valid selector operator',
    ],
    [
      'the operator of matchLabels',
      demand('a', 'Equals', 'b'),
      `${at}.operator`,
      'Invalid value: "Equals": not a valid selector operator',
    ],
    [
      'In without values',
      demand('a', 'In'),
      `${at}.values`,
      "Required value: must be specified when `operator` is 'In' or 'NotIn'",
    ],
    [
      'NotIn without values',
      demand('a', 'NotIn'),
      `${at}.values`,
      "Required value: must be specified when `operator` is 'In' or 'NotIn'",
    ],
    [
      'Exists with values',
      demand('a', 'Exists', 'b'),
      `${at}.values`,
      "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    ],
    [
      'DoesNotExist with values',
      demand('a', 'DoesNotExist', 'b'),
      `${at}.values`,
      "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    ],
    ['a bad key', demand('a b', 'Exists'), `${at}.key`, `Invalid value: "a b": name part ${NAME}`],
    [
      'an empty prefix',
      demand('/a', 'Exists'),
      `${at}.key`,
      'Invalid value: "/a": prefix part must be non-empty',
    ],
    ['a bad prefix', demand('A/a', 'Exists'), `${at}.key`, `Invalid value: "A/a": prefix part ${PREFIX}`],
    [
      'two slashes',
      demand('a/b/c', 'Exists'),
      `${at}.key`,
      `Invalid value: "a/b/c": a qualified name ${NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ],
    [
      'a long key',
      demand('a'.repeat(64), 'Exists'),
      `${at}.key`,
      `Invalid value: "${'a'.repeat(64)}": name part must be no more than 63 characters`,
    ],
    [
      'a long prefix',
      demand(`${'a'.repeat(254)}/a`, 'Exists'),
      `${at}.key`,
      `Invalid value: "${'a'.repeat(254)}/a": prefix part must be no more than 253 characters`,
    ],
    ['a bad value', demand('a', 'In', 'ok', '-b'), `${at}.values[1]`, `Invalid value: "-b": ${VALUE}`],
    [
      'a long value',
      demand('a', 'NotIn', 'b'.repeat(64)),
      `${at}.values[0]`,
      `Invalid value: "${'b'.repeat(64)}": must be no more than 63 characters`,
    ],
    [
      'a bad key in matchLabels',
      { matchLabels: { 'a b': '' } },
      'spec.nodeSelector.matchLabels',
      `Invalid value: "a b": name part ${NAME}`,
    ],
    [
      'a bad value in matchLabels',
      { matchLabels: { a: 'b c' } },
      'spec.nodeSelector.matchLabels',
      `Invalid value: "b c": ${VALUE}`,
    ],
  ])('reports %s at its path, and matches nothing', (_, selector, path, message) => {
    expect(selectorProblems(selector, 'spec.nodeSelector')).toMatchObject([{ path, message }]);
    expect(matchesSelector(selector, { a: 'b' })).toBe(false);
    expect(matchesSelector(selector, {})).toBe(false);
  });

  test('an empty key has two errors', () => {
    expect(selectorProblems(demand('', 'Exists'), '').map((problem) => problem.message)).toEqual([
      'Invalid value: "": name part must be non-empty',
      `Invalid value: "": name part ${NAME}`,
    ]);
  });

  test.each<[LabelSelector | undefined]>([
    [undefined],
    [{}],
    [{ matchLabels: { 'example.com/a_b.C': '', a: 'b-c' } }],
    [demand('node-role.kubernetes.io/worker', 'Exists')],
    [{ matchExpressions: [{ key: 'a', operator: 'DoesNotExist', values: [] }] }],
    [demand('a', 'In', '', 'b')],
  ])('accepts %j', (selector) => {
    expect(selectorProblems(selector, 'spec.nodeSelector')).toEqual([]);
  });
});

describe('matchesSelector', () => {
  test('no selector matches nothing, an empty one everything', () => {
    expect(matchesSelector(undefined, {})).toBe(false);
    expect(matchesSelector(undefined, { a: 'b' })).toBe(false);
    expect(matchesSelector({}, undefined)).toBe(true);
    expect(matchesSelector({ matchLabels: {}, matchExpressions: [] }, { a: 'b' })).toBe(true);
  });

  test.each<[LabelSelector, { [key: string]: string }, boolean]>([
    [{ matchLabels: { a: 'b' } }, { a: 'b', c: 'd' }, true],
    [{ matchLabels: { a: 'b' } }, { a: 'c' }, false],
    [{ matchLabels: { a: '' } }, {}, false],
    [{ matchLabels: { a: '' } }, { a: '' }, true],
    [{ matchLabels: { a: 'b', c: 'd' } }, { a: 'b' }, false],
    [demand('a', 'In', 'b', 'c'), { a: 'c' }, true],
    [demand('a', 'In', 'b', 'c'), { a: 'd' }, false],
    [demand('a', 'In', ''), {}, false],
    [demand('a', 'NotIn', 'b'), { a: 'c' }, true],
    [demand('a', 'NotIn', 'b'), { a: 'b' }, false],
    [demand('a', 'NotIn', 'b'), {}, true],
    [demand('a', 'Exists'), { a: '' }, true],
    [demand('a', 'Exists'), { b: '' }, false],
    [demand('a', 'DoesNotExist'), { b: '' }, true],
    [demand('a', 'DoesNotExist'), { a: '' }, false],
    [{ matchLabels: { a: 'b' }, ...demand('c', 'Exists') }, { a: 'b' }, false],
    [{ matchLabels: { a: 'b' }, ...demand('c', 'Exists') }, { a: 'b', c: '' }, true],
    [demand('constructor', 'Exists'), {}, false],
    [demand('constructor', 'DoesNotExist'), {}, true],
  ])('%j against %j is %j', (selector, labels, expected) => {
    expect(matchesSelector(selector, labels)).toBe(expected);
  });

  test('inherited names are not labels', () => {
    const selector = JSON.parse('{"matchLabels": {"toString": "a"}}');
    expect(matchesSelector(selector, {})).toBe(false);
    expect(matchesSelector(demand('__proto__', 'NotIn', 'a'), { a: 'b' })).toBe(false);
  });
});

test.each<[LabelSelector | undefined, boolean]>([
  [undefined, true],
  [{}, true],
  [{ matchLabels: {}, matchExpressions: [] }, true],
  [{ matchLabels: { a: '' } }, false],
  [demand('a', 'DoesNotExist'), false],
  [demand('a', 'Nonsense'), false],
])('isEmptySelector(%j) is %j', (selector, expected) => {
  expect(isEmptySelector(selector)).toBe(expected);
});

test.each<[LabelSelector | undefined, string]>([
  [undefined, ''],
  [{}, ''],
  [{ matchLabels: { b: '2', a: '1', 'B.io/c': '' } }, 'B.io/c=,a=1,b=2'],
  [demand('k', 'In', 'c', 'a', 'b'), 'k in (a,b,c)'],
  [demand('k', 'In', 'a'), 'k in (a)'],
  [demand('k', 'NotIn', 'b', 'a', 'a'), 'k notin (a,a,b)'],
  [demand('k', 'Exists'), 'k'],
  [demand('k', 'DoesNotExist'), '!k'],
  [
    {
      matchLabels: { m: 'v' },
      matchExpressions: [
        { key: 'z', operator: 'Exists' },
        { key: 'm', operator: 'NotIn', values: ['w', 'V'] },
        { key: 'c', operator: 'DoesNotExist' },
        { key: 'm', operator: 'Exists' },
      ],
    },
    '!c,m=v,m notin (V,w),m,z',
  ],
])('formatSelector(%j) is %j', (selector, text) => {
  expect(formatSelector(selector)).toBe(text);
});

test.each([
  ['null', null],
  ['a text', 'a=b'],
  ['a list', [{ key: 'a' }]],
  ['labels that are a text', { matchLabels: 'a=b' }],
  ['labels that are a list', { matchLabels: [] }],
  ['labels with other values', { matchLabels: { a: 1, b: null, c: {} } }],
  ['expressions that are not a list', { matchExpressions: { key: 'a', operator: 'Exists' } }],
  ['expressions that are none', { matchExpressions: [null, 'a', 1, []] }],
  ['expressions with other fields', { matchExpressions: [{ key: 1, operator: {}, values: 'a' }] }],
  ['values that are not a list', { matchExpressions: [{ key: 'z', operator: 'NotIn', values: 'a' }] }],
  ['values that are none', { matchExpressions: [{ key: 'z', operator: 'NotIn', values: [null, {}] }] }],
])('%s in place of a selector matches nothing and does not throw', (_, hostile) => {
  const selector = hostile as LabelSelector;
  expect(matchesSelector(selector, { a: 'b' })).toBe(false);
  expect(selectorProblems(selector, '').length > 0).toBe(
    typeof hostile === 'object' && !isEmptySelector(selector),
  );
  expect(typeof formatSelector(selector)).toBe('string');
});

test('fields that are null count as absent', () => {
  const selector = JSON.parse('{"matchLabels": null, "matchExpressions": null}');
  expect(matchesSelector(selector, {})).toBe(true);
  expect(isEmptySelector(selector)).toBe(true);
});
