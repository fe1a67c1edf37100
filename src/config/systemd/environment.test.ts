import { describe, expect, it } from 'vitest';
import { parseEnvironment, parseEnvironmentFile } from './environment.ts';
import { expandCommand } from './words.ts';

describe('a file of variables', () => {
  it.each<[string, string, Record<string, string>]>([
    ['plain values without spaces at their end', 'A=1  \nB = x y\t\n', { A: '1', B: 'x y' }],
    ['comments', '# A=1\n; B=2\nC=3#4\n', { C: '3#4' }],
    ['quotes', `A="a b"\nB='c "d'\nC="a"'b'\n`, { A: 'a b', B: 'c "d', C: 'ab' }],
    ['quotes inside a value as they are', 'A=a"b"\n', { A: 'a"b"' }],
    ['escapes', 'A=a\\ b\nB="\\"\\n"\nC=a\\\nb\n', { A: 'a b', B: '"\\n', C: 'ab' }],
    ['an open quote up to the end', 'A="a\nB=1\n', { A: 'a\nB=1\n' }],
    ['the last one of several', 'A=1\nA=2\n', { A: '2' }],
    ['no names that are none', 'export A=1\n1B=2\nno assignment\nC=3\n', { C: '3' }],
    ['an empty value', 'A=\nB=1', { A: '', B: '1' }],
    ['nothing', '', {}],
  ])('has %s', (_, text, expected) => {
    expect(Object.fromEntries(parseEnvironmentFile(text))).toEqual(expected);
  });
});

describe('Environment=', () => {
  it('has several assignments, quoted as a whole or in part', () => {
    const found = parseEnvironment(`"A=a b" B=c 'D=e' F="g h"`);
    expect(Object.fromEntries(found)).toEqual({ A: 'a b', B: 'c', D: 'e', F: 'g h' });
    expect([...parseEnvironment('"A=a')]).toEqual([]);
  });
});

describe('a command', () => {
  const variables = new Map([
    ['ARGS', '--a=1  --b="2 3"'],
    ['EMPTY', ''],
  ]);

  it.each<[string, string, readonly string[] | undefined]>([
    ['a variable that is a word becomes words', '/bin/x $ARGS y', ['/bin/x', '--a=1', '--b=2 3', 'y']],
    [
      'a variable in braces stays one word',
      `-/bin/x $\{ARGS} a$\{EMPTY}b`,
      ['/bin/x', '--a=1  --b="2 3"', 'ab'],
    ],
    ['a variable without a value is no word', '@/bin/x $EMPTY $NONE', ['/bin/x']],
    ['a variable inside a word is none', '/bin/x a$ARGS $$HOME', ['/bin/x', 'a$ARGS', '$HOME']],
    ['a colon keeps variables', ':/bin/x $ARGS', ['/bin/x', '$ARGS']],
    ['quotes and escapes', `/bin/x "a b" 'c' d\\x20e`, ['/bin/x', 'a b', 'c', 'd e']],
    ['an open quote', '/bin/x "a', undefined],
  ])('has words: %s', (_, line, expected) => {
    expect(expandCommand(line, variables)).toEqual(expected);
  });
});
