import { describe, expect, it } from 'vitest';
import { type LabelRequirement, parseLabelSelector } from './label-selector.ts';

const NAME_PART =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const NO_INTEGER = "for 'Gt', 'Lt' operators, the value must be an integer";

function messageOf(text: string): string | undefined {
  const outcome = parseLabelSelector(text);
  return outcome.kind === 'invalid' ? outcome.problems.map(({ message }) => message).join('\n') : undefined;
}

function requirementsOf(text: string): readonly LabelRequirement[] {
  const outcome = parseLabelSelector(text);
  if (outcome.kind === 'invalid') throw new Error(messageOf(text));
  return outcome.value;
}

describe('parseLabelSelector of an invalid selector', () => {
  // The errors of kube-apiserver 1.33.
  it.each([
    [',', "found ',', expected: !, identifier, or 'end of string'"],
    ['=a', "found '=', expected: !, identifier, or 'end of string'"],
    ['a=b,', "found '', expected: identifier after ','"],
    ['a, \0b', "found '', expected: identifier after ','"],
    ['a=b,=', "found '=', expected: identifier after ','"],
    ['a=b=c', "found '=', expected: ',' or 'end of string'"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['!!a', "unable to parse requirement: found '!', expected: identifier"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a!', "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"],
    ['a=)', "unable to parse requirement: found ')', expected: identifier"],
    ['a in', "unable to parse requirement: found '' expected: '('"],
    ['a in x', "unable to parse requirement: found 'x' expected: '('"],
    ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ['a in (x', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ['a in (b,,)', "unable to parse requirement: found ')', expected: ',', or identifier"],
    ['a in (,', "unable to parse requirement: found '', expected: ',', or identifier"],
    ['_a=b', `unable to parse requirement: <nil>: Invalid value: "_a": ${NAME_PART}`],
    [
      'a/',
      `unable to parse requirement: <nil>: Invalid value: "a/": name part must be non-empty; ${NAME_PART}`,
    ],
    ['a=-b-', `unable to parse requirement: values[0][a]: Invalid value: "-b-": ${LABEL_VALUE}`],
    ['a in (c,b-)', `unable to parse requirement: values[0][a]: Invalid value: "b-": ${LABEL_VALUE}`],
    ['a>b', `unable to parse requirement: values[0]: Invalid value: "b": ${NO_INTEGER}`],
    ['a>', `unable to parse requirement: values[0]: Invalid value: "": ${NO_INTEGER}`],
    [
      'a<9223372036854775808',
      `unable to parse requirement: values[0]: Invalid value: "9223372036854775808": ${NO_INTEGER}`,
    ],
    [
      'a>b-',
      `unable to parse requirement: [values[0]: Invalid value: "b-": ${NO_INTEGER}, values[0][a]: Invalid value: "b-": ${LABEL_VALUE}]`,
    ],
  ])('returns the error of kube-apiserver: %j', (text, message) => {
    expect(messageOf(text)).toBe(message);
  });

  it.each([
    ['a long one', '!'.repeat(100_000)],
    ['open brackets', `a in ${'('.repeat(100_000)}`],
    ['a key of the prototype', '__proto__'],
    ['half a character', '\ud800'],
  ])('returns an error and does not throw for %s', (_, text) => {
    expect(messageOf(text)).toBeDefined();
  });
});

describe('parseLabelSelector', () => {
  it.each<[string, readonly LabelRequirement[]]>([
    ['', []],
    [' \t\r\n', []],
    ['a=b', [{ key: 'a', operator: 'In', values: ['b'] }]],
    ['a == b', [{ key: 'a', operator: 'In', values: ['b'] }]],
    ['a!=b', [{ key: 'a', operator: 'NotIn', values: ['b'] }]],
    ['a=', [{ key: 'a', operator: 'In', values: [''] }]],
    ['a', [{ key: 'a', operator: 'Exists', values: [] }]],
    ['!a', [{ key: 'a', operator: 'DoesNotExist', values: [] }]],
    ['example.com/a>5', [{ key: 'example.com/a', operator: 'GreaterThan', values: ['5'] }]],
    ['a<05', [{ key: 'a', operator: 'LessThan', values: ['05'] }]],
    ['a in (c,b,c)', [{ key: 'a', operator: 'In', values: ['b', 'c'] }]],
    ['a notin ( b )', [{ key: 'a', operator: 'NotIn', values: ['b'] }]],
    ['a in ()', [{ key: 'a', operator: 'In', values: [''] }]],
    ['a in (,)', [{ key: 'a', operator: 'In', values: [''] }]],
    ['a in (b,)', [{ key: 'a', operator: 'In', values: ['', 'b'] }]],
    ['a in (,,b)', [{ key: 'a', operator: 'In', values: ['', 'b'] }]],
    ['in in (in,notin)', [{ key: 'in', operator: 'In', values: ['in', 'notin'] }]],
    ['a=in', [{ key: 'a', operator: 'In', values: ['in'] }]],
    [
      'a\0,b',
      [
        { key: 'a', operator: 'Exists', values: [] },
        { key: 'b', operator: 'Exists', values: [] },
      ],
    ],
  ])('returns the requirements of %j', (text, requirements) => {
    expect(requirementsOf(text)).toEqual(requirements);
  });
});
