/**
 * Expressions in CEL at random: some of the right types, so that they are compiled and run, some of any kind, so that
 * they are refused, and some whose work grows faster than their text.
 */
import fc from 'fast-check';

/** What texts, numbers and lists are called where the expression stands. */
export type Names = { readonly text: string; readonly number: string; readonly list: string };

export const OF_SCHEMA: Names = { text: 'self.a', number: 'self.b', list: 'self.list' };
export const OF_POLICY: Names = {
  text: "object.data['a']",
  number: 'size(object.data)',
  list: 'object.data.map(k, k)',
};

/** Compiles, and may still fail when it runs. */
export function conditions({ text, number, list }: Names): fc.Arbitrary<string> {
  return fc.letrec<{ truth: string; text: string; number: string; list: string }>((tie) => ({
    truth: fc.oneof(
      { depthSize: 'small', maxDepth: 6 },
      fc.constantFrom('true', 'false', `${text} == 'a'`, `${number} > 0`, `${list}.size() < 5`),
      joined(tie('truth'), ['&&', '||', '=='], tie('truth')),
      joined(tie('number'), ['<', '>=', '==', '!='], tie('number')),
      joined(tie('text'), ['<', '==', '!=', 'in'], tie('text')).map((made) => made.replace(' in ', ' == ')),
      fc.tuple(tie('text'), tie('list')).map(([a, b]) => `(${a} in ${b})`),
      fc
        .tuple(tie('list'), fc.constantFrom('all', 'exists', 'exists_one'), tie('truth'))
        .map(([a, macro, b]) => `${a}.${macro}(x, x != '' && ${b})`),
      fc
        .tuple(tie('text'), fc.constantFrom('^a+$', '(a+)+$', '(a|aa)*b', '[^b]{0,50}', '.*.*.*x'))
        .map(([a, pattern]) => `${a}.matches('${pattern}')`),
      fc
        .tuple(tie('text'), fc.constantFrom('startsWith', 'endsWith', 'contains'), tie('text'))
        .map(([a, name, b]) => `${a}.${name}(${b})`),
      tie('truth').map((a) => `!(${a})`),
      choice(tie('truth'), tie('truth')),
    ),
    text: fc.oneof(
      { depthSize: 'small', maxDepth: 6 },
      fc.constantFrom(text, "''", "'a'", "'\\u00e9\\n'", "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'"),
      joined(tie('text'), ['+'], tie('text')),
      tie('number').map((a) => `string(${a})`),
      fc
        .tuple(tie('text'), fc.constantFrom('lowerAscii', 'upperAscii', 'trim'))
        .map(([a, name]) => `${a}.${name}()`),
      fc.tuple(tie('text'), tie('number')).map(([a, at]) => `${a}.substring(${at})`),
      fc.tuple(tie('text'), tie('text'), tie('text')).map(([a, b, c]) => `${a}.replace(${b}, ${c})`),
      fc.tuple(tie('list'), tie('number')).map(([a, at]) => `${a}[${at}]`),
      tie('list').map((a) => `${a}.join('-')`),
      fc.tuple(tie('text'), tie('number')).map(([a, b]) => `'%s %d'.format([${a}, ${b}])`),
      choice(tie('truth'), tie('text')),
    ),
    number: fc.oneof(
      { depthSize: 'small', maxDepth: 6 },
      fc.constantFrom(number, '0', '-1', '7', '9223372036854775807', '-9223372036854775808'),
      joined(tie('number'), ['+', '-', '*', '/', '%'], tie('number')),
      fc.oneof(tie('text'), tie('list')).map((a) => `size(${a})`),
      fc.tuple(tie('text'), tie('text')).map(([a, b]) => `${a}.indexOf(${b})`),
      tie('text').map((a) => `int(${a})`),
      choice(tie('truth'), tie('number')),
    ),
    list: fc.oneof(
      { depthSize: 'small', maxDepth: 6 },
      fc.constantFrom(list, "['a', 'b']"),
      fc.tuple(tie('list'), tie('text')).map(([a, b]) => `${a}.map(x, x + ${b})`),
      fc.tuple(tie('list'), tie('truth')).map(([a, b]) => `${a}.filter(x, ${b})`),
      fc.tuple(tie('text'), tie('text')).map(([a, b]) => `${a}.split(${b})`),
      joined(tie('list'), ['+'], tie('list')),
    ),
  })).truth;
}

const joined = (a: fc.Arbitrary<string>, operators: readonly string[], b: fc.Arbitrary<string>) =>
  fc
    .tuple(a, fc.constantFrom(...operators), b)
    .map(([left, operator, right]) => `(${left} ${operator} ${right})`);

const choice = (condition: fc.Arbitrary<string>, branch: fc.Arbitrary<string>) =>
  fc.tuple(condition, branch, branch).map(([when, then, otherwise]) => `(${when} ? ${then} : ${otherwise})`);

/** Put together from anything: hardly any of it compiles. */
export const anyExpression = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', maxDepth: 5 },
    fc.constantFrom(
      'self',
      'oldSelf',
      'self.a',
      'self.nope',
      'self.map',
      'self.metadata.name',
      'object',
      'request',
      'params',
      'oldObject',
      'namespaceObject',
      'authorizer',
      'variables.x',
      'object.metadata.name',
      'request.userInfo',
      '1',
      '9223372036854775808',
      '1u',
      '1.5',
      'null',
      "b'a'",
      '[]',
      '{}',
      "{'a':1}",
      "duration('1h')",
      "timestamp('2020-01-01T00:00:00Z')",
      "quantity('1Gi')",
      "url('https://a')",
      "'('",
      'dyn(1)',
      'type(1)',
      'x',
      '',
      '((',
      '"',
      '//',
      "ip('::1')",
      '`',
      '\\',
      '__proto__',
      'constructor',
    ),
    joined(tie('any'), ['+', '-', '*', '/', '%', '==', '<', '&&', '||', 'in'], tie('any')),
    fc
      .tuple(tie('any'), fc.constantFrom('all', 'map', 'filter'), tie('any'))
      .map(([a, f, b]) => `${a}.${f}(x, ${b})`),
    fc
      .tuple(
        tie('any'),
        fc.constantFrom(
          'size',
          'contains',
          'matches',
          'split',
          'join',
          'find',
          'sum',
          'isSorted',
          'min',
          'format',
          'getHost',
          'add',
          'orValue',
          'check',
          'nope',
          'constructor',
          'toString',
        ),
        fc.array(tie('any'), { maxLength: 2 }),
      )
      .map(([a, name, args]) => `${a}.${name}(${args.join(', ')})`),
    fc
      .tuple(fc.constantFrom('has', 'size', 'string', 'int', 'type', '!', '-'), tie('any'))
      .map(([f, a]) => `${f}(${a})`),
    fc.tuple(tie('any'), tie('any')).map(([a, b]) => `${a}[${b}]`),
  ),
})).any;

const NINE = '[1,2,3,4,5,6,7,8,9]';

export function costlyExpressions({ list, text }: Names): fc.Arbitrary<string> {
  return fc.constantFrom(
    ...[2, 3, 4, 8].map((depth) => `${`${list}.all(x, `.repeat(depth)}true${')'.repeat(depth)}`),
    `${'('.repeat(300)}1${')'.repeat(300)} == 1`,
    `${'!'.repeat(1_000)}true`,
    `${'-'.repeat(5_000)}1 < 0`,
    Array.from({ length: 2_000 }, () => 'true').join(' && '),
    `${Array.from({ length: 500 }, () => `${text}`).join(' + ')} == ''`,
    `${NINE}.map(a, ${NINE}.map(b, ${NINE}.map(c, ${NINE}.map(d, ${NINE}.map(e, ${NINE}.map(f, a)))))).size() > 0`,
    `${list}.map(a, ${list}.map(b, ${list})).size() > 0`,
    `${list}.map(a, ${list}.join(a).split('')).size() > 0`,
    `${NINE}.map(a, ${NINE}).map(a, ${text}.replace('', ${text}.replace('', ${text}))).size() > 0`,
  );
}
