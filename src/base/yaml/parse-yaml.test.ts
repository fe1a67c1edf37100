import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_JSON_DEPTH } from '../json.ts';
import { parseYaml } from './parse-yaml.ts';
import { MAX_YAML_LENGTH } from './yaml-document.ts';

function valuesOf(text: string): readonly unknown[] {
  const outcome = parseYaml(text);
  if (outcome.kind === 'invalid') throw new Error(outcome.problems.map(({ message }) => message).join('; '));
  return outcome.value.map(({ value }) => value);
}

function messagesOf(text: string): readonly string[] {
  const outcome = parseYaml(text);
  return outcome.kind === 'invalid' ? outcome.problems.map(({ message }) => message) : [];
}

describe('parseYaml rejects', () => {
  test.each([
    ['a key given twice', 'a: 1\nb: 2\na: 3\n', ['line 3, column 1: the key "a" is given twice']],
    [
      'a key given twice in two spellings',
      '{on: 1, "true": 2}',
      ['line 1, column 9: the key "true" is given twice'],
    ],
    ['a key given twice in JSON', '{"a": 1, "a": 2}', ['line 1, column 10: the key "a" is given twice']],
    ['a list as a key', '{[a]: 1}', ['line 1, column 2: a key must be a single text, number or boolean']],
    ['a key that is null', '~: 1', ['line 1, column 1: a key is missing here']],
    ['infinity', 'a: .inf', ['line 1, column 4: JSON has no number for infinity or not-a-number']],
    [
      'an alias without an anchor',
      'a: *b',
      ['line 1, column 4: the alias names no anchor above it in this document'],
    ],
    [
      'an alias to another document',
      'a: &b 1\n---\nc: *b',
      ['line 3, column 4: the alias names no anchor above it in this document'],
    ],
    [
      'an alias inside its own value',
      'a: &a [*a]',
      ['line 1, column 8: the alias stands inside the value that it names'],
    ],
    ['a merge of a text', '<<: x', ['line 1, column 1: only a map or a list of maps can be merged with <<']],
    [
      'a directive',
      '%YAML 1.2\n---\na: 1',
      ['line 1, column 1: kubectl reads no directives such as %YAML: remove the line'],
    ],
    [
      'content behind a separator',
      'a: 1\n--- {b: 2}',
      ['line 2, column 1: only a comment may follow "---" on the same line'],
    ],
    [
      'a line of many dashes',
      'a: 1\n-----\nb: 2',
      ['line 2, column 1: only a comment may follow "---" on the same line'],
    ],
    [
      'a document behind dots',
      'a: 1\n...\nb: 2',
      ['line 3, column 1: kubectl skips what follows a line with "..." unless "---" comes between'],
    ],
    [
      'a control character',
      'a: "b\u0001"',
      ['line 1, column 6: the character U+0001 must be written as an escape in double quotes'],
    ],
    [
      'a line separator',
      'a: b\u2028c',
      ['line 1, column 5: the character U+2028 must be written as an escape in double quotes'],
    ],
    [
      'half a surrogate pair',
      '{"a": "\\ud800"}',
      ['line 1, column 7: half of a surrogate pair is not a character'],
    ],
    ['an unknown escape', 'a: "\\q"', ['line 1, column 5: unknown escape in a double-quoted text']],
    ['a tag without a handle', 'a: !e!x y', ['line 1, column 4: unknown tag']],
    [
      'text behind a JSON value',
      '{"a": 1} x',
      ['line 1, column 10: this cannot stand here: check the indentation and the quotes above'],
    ],
  ])('%s', (_, text, messages) => {
    expect(messagesOf(text)).toEqual(messages);
  });

  test('reports every broken document with its first syntax error', () => {
    expect(messagesOf('a: "x\n---\nb: 1\n---\nc: {\n---\nd: 1\nd: 2\ne: *f\n')).toEqual([
      expect.stringMatching(/^line [12], column \d+: Missing closing /),
      expect.stringMatching(/^line [56], column \d+: Flow map /),
      'line 8, column 1: the key "d" is given twice',
      'line 9, column 4: the alias names no anchor above it in this document',
    ]);
  });

  test('never quotes the text in messages', () => {
    const secret = 'hunter2';
    for (const text of [
      `a: ${secret}\n${secret}`,
      `"${secret}`,
      `[${secret}`,
      `a: @${secret}`,
      `a: !e!${secret} x`,
    ]) {
      const messages = messagesOf(text);
      expect(messages.length).toBeGreaterThan(0);
      expect(messages.join()).not.toContain(secret);
    }
  });

  test('reports at most twenty problems', () => {
    expect(messagesOf('a: 1\n'.repeat(100))).toHaveLength(20);
  });
});

describe('limits of parseYaml', () => {
  const deep = new RegExp(`nested more than ${MAX_JSON_DEPTH} levels deep$`);
  test.each([
    ['[', '['.repeat(1_000_000)],
    ['{a: ', '{a: '.repeat(1_000_000)],
    ['- ', '- '.repeat(1_000_000)],
    ['? ', '? '.repeat(1_000_000)],
    ['one level too many', `${'['.repeat(MAX_JSON_DEPTH + 2)}${']'.repeat(MAX_JSON_DEPTH + 2)}`],
    [
      'depth through aliases',
      `a: &a ${'['.repeat(60)}${']'.repeat(60)}\nb: ${'['.repeat(60)}*a${']'.repeat(60)}`,
    ],
  ])('rejects texts that nest too deeply: %s', (_, text) => {
    expect(messagesOf(text)).toEqual([expect.stringMatching(deep)]);
  });

  test('reads the deepest value that is allowed', () => {
    expect(messagesOf(`${'['.repeat(MAX_JSON_DEPTH)}${']'.repeat(MAX_JSON_DEPTH)}`)).toEqual([]);
  });

  test('rejects a text that is too long', () => {
    expect(messagesOf('#'.repeat(MAX_YAML_LENGTH + 1))).toEqual([
      'more than 16 Mi characters: split the file',
    ]);
  });

  test('rejects a text with too many documents', () => {
    expect(messagesOf('---\n'.repeat(1_000_000))).toEqual(['more than 10000 documents: split the file']);
  });

  test('rejects a text with too many tokens', () => {
    expect(messagesOf(`[${'a,'.repeat(1_200_000)}]`)).toEqual([
      expect.stringContaining('more than 2000000 tokens: split the file'),
    ]);
  });

  test('rejects aliases that expand too much', () => {
    const levels = Array.from({ length: 9 }, (_, level) => {
      const before = level === 0 ? 'x' : `*a${level - 1}`;
      return `a${level}: &a${level} [${Array.from({ length: 10 }, () => before).join(',')}]`;
    });
    expect(messagesOf(levels.join('\n'))).toEqual([
      expect.stringContaining('aliases add more than 4194304 values and characters'),
    ]);
    const text = `a: &a "${'x'.repeat(100_000)}"\nb: [${Array.from({ length: 100 }, () => '*a').join(',')}]`;
    expect(messagesOf(text)).toEqual([expect.stringContaining('aliases add more than')]);
  });

  test('never throws', () => {
    const fragments = fc.constantFrom(
      ...'abc:-?[]{}&*!|>\'"%@`#,~<.\\ \n\t\r\0\u0085\ufeff01é😀',
      '---\n',
      '...\n',
      '\n  ',
      '- ',
    );
    const texts = fc.oneof(
      fc.array(fragments, { maxLength: 60 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.json(),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const outcome = parseYaml(text);
        if (outcome.kind === 'invalid') {
          expect(outcome.problems.length).toBeGreaterThan(0);
          for (const { message } of outcome.problems)
            expect(message).toMatch(/^line \d+, column \d+: [^\n]+$/);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('documents', () => {
  test('are numbered including empty ones and have their first line', () => {
    const outcome = parseYaml(
      '# first\na: 1\n---\n# only a comment\n---\n\n# third\nb: 2\n---\nnull\n---\nc: 3\n',
    );
    expect(outcome).toEqual({
      kind: 'ok',
      warnings: [],
      value: [
        { value: { a: 1 }, line: 2, index: 1 },
        { value: { b: 2 }, line: 8, index: 3 },
        { value: { c: 3 }, line: 12, index: 5 },
      ],
    });
  });

  test.each([
    ['no text', '', []],
    ['only a comment', '# a\n', []],
    ['JSON', '{"a": [1, true, null, "x\\/y", 1.5e3]}', [{ a: [1, true, null, 'x/y', 1500] }]],
    ['JSON values in a row', '{"a":1}{"b":"}{"}\n {"c":3}\n', [{ a: 1 }, { b: '}{' }, { c: 3 }]],
    ['JSON with tabs', '{\n\t"a": [\n\t\t1\n\t]\n}\n', [{ a: [1] }]],
    ['JSON with a surrogate pair', '{"a": "\\ud83d\\ude00"}', [{ a: '😀' }]],
    ['JSON and YAML mixed', '{"a": 1}\n---\nb: 2\n---\n{"c": 3}\n', [{ a: 1 }, { b: 2 }, { c: 3 }]],
    ['a byte order mark', '\ufeffa: 1\n', [{ a: 1 }]],
    ['Windows line ends', 'a: |\r\n  b\r\n  c\r\n---\r\nd: 1\r\n', [{ a: 'b\nc\n' }, { d: 1 }]],
    ['old line ends', 'a: 1\rb: 2\r', [{ a: 1, b: 2 }]],
    ['an end mark', 'a: 1\n...\n', [{ a: 1 }]],
    ['an end mark and a separator', 'a: 1\n...\n--- # next\nb: 2\n', [{ a: 1 }, { b: 2 }]],
    ['a separator inside a block', 'a: |\n  ---\n  b\n', [{ a: '---\nb\n' }]],
  ])('%s', (_, text, values) => {
    expect(valuesOf(text)).toEqual(values);
  });

  test('have lines from the start of the text for JSON values in a row', () => {
    const outcome = parseYaml('{"a": 1}\n{\n"b": 2}');
    expect(outcome.kind === 'ok' && outcome.value.map(({ line, index }) => [line, index])).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(messagesOf('{"a": 1}\n{\n"b": .nan}')).toEqual([
      'line 3, column 6: JSON has no number for infinity or not-a-number',
    ]);
  });
});

describe('values', () => {
  test.each([
    [
      'keys that are no texts',
      '{1: a, on: b, 1.5: c, 0644: d}',
      { '1': 'a', true: 'b', '1.5': 'c', '420': 'd' },
    ],
    ['quotes', 'a: "0644"\nb: \'yes\'\nc: !!str on\n', { a: '0644', b: 'yes', c: 'on' }],
    ['blocks', 'a: |\n  0644\nb: >-\n  c\n  d\n', { a: '0644\n', b: 'c d' }],
    ['anchors', 'a: &a {b: 1}\nc: *a\nd: &a 2\ne: *a\n', { a: { b: 1 }, c: { b: 1 }, d: 2, e: 2 }],
    ['a merge', 'a: &a {b: 1, c: 2}\nd: {<<: *a, c: 3}\n', { a: { b: 1, c: 2 }, d: { b: 1, c: 3 } }],
    ['merges of which the first wins', '{<<: [{a: 1}, {a: 2, b: 2}], c: 3}', { a: 1, b: 2, c: 3 }],
    ['a merge below a key, which kubectl lets win', '{a: 1, <<: {a: 2}}', { a: 2 }],
    ['a quoted merge sign', '{"<<": {a: 1}}', { '<<': { a: 1 } }],
    ['tags of others', 'a: !x 12\nb: !!set {c, d}\n', { a: '12', b: { c: null, d: null } }],
    ['an unclosed line of a list', 'a: [\n  b,\n]\n', { a: ['b'] }],
  ])('%s', (_, text, value) => {
    expect(valuesOf(text)).toEqual([value]);
  });

  test('treats __proto__ as an ordinary key', () => {
    for (const text of [
      '{"__proto__": {"polluted": 1}}',
      '__proto__: {polluted: 1}',
      '<<: {__proto__: {polluted: 1}}',
    ]) {
      const [value] = valuesOf(text);
      expect(Object.keys(value as object)).toEqual(['__proto__']);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(value).not.toHaveProperty('polluted');
    }
  });
});

test('reports duplicate keys to the callback and uses the last', () => {
  const reported: string[] = [];
  const text = 'a: 1\nb: {c: 1, c: 2}\n---\na: 3\na: 4\n';
  const parsed = parseYaml(text, { onRepeated: (line, key) => reported.push(`${line} ${key}`) });
  expect(parsed.kind === 'ok' && parsed.value.map(({ value }) => value)).toEqual([
    { a: 1, b: { c: 2 } },
    { a: 4 },
  ]);
  expect(reported).toEqual(['2 c', '5 a']);
});
