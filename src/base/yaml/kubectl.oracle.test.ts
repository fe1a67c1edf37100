/**
 * What kubectl itself makes of our texts. `kubectl label --local` needs no server: it reads a file, adds a
 * label and prints the object.
 */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, type TestContext, test } from 'vitest';
import type { Json } from '../json.ts';
import { formatYaml } from './format-yaml.ts';
import { parseYaml } from './parse-yaml.ts';

/** The `spec` of each object in the text, or nothing where kubectl refuses the text. */
function kubectlSpecs(text: string): readonly unknown[] | undefined {
  const run = spawnSync('kubectl', ['label', '--local', '--filename=-', '--output=json', 'a=b'], {
    input: text,
    encoding: 'utf8',
    env: { ...process.env, KUBECONFIG: '/dev/null' },
  });
  if (run.status !== 0) return undefined;
  return run.stdout
    .trim()
    .split(/\n(?=\{)/)
    .map((object) => JSON.parse(object).spec);
}

function ourSpecs(text: string): readonly unknown[] | undefined {
  const outcome = parseYaml(text);
  if (outcome.kind === 'invalid') return undefined;
  return outcome.value.map(({ value }) => (value as { readonly spec?: unknown }).spec);
}

const isInstalled = spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' }).status === 0;

/** CI sets `MILLWRIGHT_REQUIRE_TOOLS=1`, so that nothing is skipped there in silence. */
function needsKubectl(context: TestContext): void {
  if (!isInstalled && process.env.MILLWRIGHT_REQUIRE_TOOLS === '1')
    throw new Error('kubectl is required here');
  context.skip(!isInstalled, 'kubectl is not installed');
}

const header = 'apiVersion: example.com/v1\nkind: Probe\nmetadata: {name: probe}\n';

const scalars = [
  ...['y', 'n', 'yes', 'No', 'on', 'OFF', 'true', 'yEs', '~', 'null', '', '"yes"', "'on'"],
  ...['0644', '0o644', '0O644', '-0644', '0_644', '0888', '08', '00', '0b11', '-0b11', '0b12', '0x1f', '0x'],
  ...[
    '1_000',
    '1__0',
    '1_',
    '_1',
    '-_1',
    '1_000.5',
    '1e3',
    '1E+3',
    '1.',
    '.5',
    '-.5',
    '.5_5',
    '._5',
    '1e400',
  ],
  ...['-0', '01.5', '08.5', '1e', '0x10000000000000000', '0x1.8p3', '.', '+', '+.nan', '.infinity', 'NaN'],
  ...[
    '1:30',
    '190:20:30.15',
    '2001-01-01',
    '2001-12-14t21:59:43.10-05:00',
    '=',
    '<<',
    '3.4.0',
    '9007199254740991',
  ],
  ...['!!str 0644', '!!int "12"', '!!float 1', '!!bool "yes"', '!!binary aGVsbG8=', '!!timestamp 2001-01-01'],
  ...['!x 12', '!!x 12', '! 12', '!!str', '!!set {a, b}', '!!omap [a: 1]', '!!null ""'],
  ...[
    '{on: yes}',
    '{1: a, 1.5: b, 0644: c}',
    '{"a":1}',
    '{a:1}',
    '[a,b,]',
    '{a: , b}',
    '{a: http://b}',
    '[a: b]',
  ],
  ...['{<<: {a: 1, b: 2}, a: 3}', '{a: 3, <<: {a: 1}}', '{<<: [{a: 1}, {a: 2, b: 2}]}', '{"<<": {a: 1}}'],
  ...[
    '"\\x41\\u00e9\\U0001F600\\0\\a\\e\\N\\_\\L\\P"',
    "'it''s'",
    '"a\\\n    b"',
    'a#b',
    'a #b',
    'a, b]',
    '-a',
    '?a',
  ],
  ...[
    '|\n    a\n     b\n\n',
    '|-\n    a\n',
    '|+\n    a\n\n',
    '>\n    a\n    b\n\n    c\n      d\n',
    '|2\n     a\n',
  ],
  ...['&a {b: 1}', '[\n    a\n  ]', '\n  - a\n  -  b: c\n     d: e', 'a\n    b\n\n    c'],
];

test('reads every scalar like kubectl', (context) => {
  needsKubectl(context);
  const text = `${header}spec:\n${scalars.map((scalar, index) => `  p${index}: ${scalar}\n`).join('')}`;
  const specs = kubectlSpecs(text);
  expect(specs).toHaveLength(1);
  expect(ourSpecs(text)).toEqual(specs);
});

test.for([
  '.inf',
  '.nan',
  '{~: a}',
  '{[a]: b}',
  '*missing',
  '&a [*a]',
  '!!int 1.5',
  '!!null x',
  '!!binary "?"',
  '!e!x y',
  '{<<: 3}',
  '[a, , b]',
  '@a',
  'a: b',
  '"\u0001"',
  '"\\q"',
])('rejects %j like kubectl', (scalar, context) => {
  needsKubectl(context);
  const text = `${header}spec:\n  p: ${scalar}\n`;
  expect(kubectlSpecs(text)).toBeUndefined();
  expect(ourSpecs(text)).toBeUndefined();
});

const json = (spec: number) =>
  `{"apiVersion": "v1", "kind": "X", "metadata": {"name": "a"}, "spec": ${spec}}`;

test.for<readonly [string, string]>([
  ['documents', `---\n---\n${header}spec: 1\n--- # next\n# nothing\n---\n${header}spec: 2\n`],
  ['dots and dashes', `${header}spec: 1\n...\n---\n${header}spec: 2\n`],
  ['Windows line ends', `${header}spec: |\n  a\n  b\n---\n${header}spec: 2\n`.replaceAll('\n', '\r\n')],
  ['a byte order mark', `\ufeff${header}spec: 1\n`],
  ['JSON values in a row', `${json(1)}${json(2)}\n${json(3)}`],
  ['JSON as a document', `${header}spec: 1\n---\n${json(2)}`],
])('finds the same objects as kubectl: %s', ([, text], context) => {
  needsKubectl(context);
  const specs = kubectlSpecs(text);
  expect(specs).toBeDefined();
  expect(ourSpecs(text)).toEqual(specs);
});

test('kubectl reads what formatYaml writes', (context) => {
  needsKubectl(context);
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc
      .array(fc.constantFrom(...'ab01 \n\t-:#?[]{}&*!|>\'"%@`,~<.\\yno+_e', '\r\n', '---', '\n\n'), {
        maxLength: 10,
      })
      .map((parts) => parts.join('')),
    fc.constantFrom(...scalars),
  );
  const values: fc.Arbitrary<Json> = fc.oneof(
    texts,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.array(texts, { maxLength: 3 }),
    fc.dictionary(texts, texts, { maxKeys: 3, noNullPrototype: true }),
  );
  fc.assert(
    fc.property(fc.array(values, { minLength: 300, maxLength: 300 }), (spec) => {
      const object = { apiVersion: 'example.com/v1', kind: 'Probe', metadata: { name: 'probe' }, spec };
      expect(kubectlSpecs(formatYaml(object))).toEqual([spec]);
    }),
    { numRuns: 3 },
  );
});
