/**
 * The same texts as go-yaml: `kubectl label --local -o yaml` prints objects with it.
 */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, type TestContext, test } from 'vitest';
import type { Json } from '../json.ts';
import { goYamlText } from './go-yaml-text.ts';

const isInstalled = spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' }).status === 0;

/** CI sets `MILLWRIGHT_REQUIRE_TOOLS=1`, so that nothing is skipped there in silence. */
function needsKubectl(context: TestContext): void {
  if (!isInstalled && process.env.MILLWRIGHT_REQUIRE_TOOLS === '1')
    throw new Error('kubectl is required here');
  context.skip(!isInstalled, 'kubectl is not installed');
}

function printedByKubectl(object: Json): string {
  const run = spawnSync(
    'kubectl',
    ['label', '--local', '--overwrite', '--filename=-', '--output=yaml', 'a=b'],
    {
      input: JSON.stringify(object),
      encoding: 'utf8',
      env: { ...process.env, KUBECONFIG: '/dev/null' },
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  expect(run.stderr).toBe('');
  return run.stdout;
}

// biome-ignore format: one group per line
const pieces = [
  ' ', '  ', '\n', '\n\n', '\t', '\r', '\x01',
  ':', ': ', '#', ' #', '-', '- ', "'", '"', '\\', '{', '}', '[', ',', '&', '*', '!', '|', '>', '%', '@', '`', '?', '~', '<<', '=',
  '.', '...', '---', '1', '0x1', 'yes', '1:20', '2020-01-01', 'null',
  'a', 'é', '漢', '…', '😀',
  'FROM configs AS final', 'RUN dnf install -y tree && ostree container commit', 'words of some length here',
];
const text = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));
const document = fc.record({
  content: text,
  list: fc.array(fc.oneof(text, fc.record({ a: text, b: text }), fc.constant({})), { maxLength: 3 }),
  nested: fc.record({ x: text, y: fc.array(text, { maxLength: 2 }) }),
});

test('random documents have the same text as in go-yaml', (context) => {
  needsKubectl(context);
  fc.assert(
    fc.property(fc.array(document, { minLength: 300, maxLength: 400 }), (documents) => {
      const object = {
        apiVersion: 'example.com/v1',
        kind: 'Probe',
        metadata: { labels: { a: 'b' }, name: 'probe' },
        spec: Object.fromEntries(documents.map((item, index) => [`k${String(1000 + index)}k`, item])),
      };
      expect(goYamlText(object)).toBe(printedByKubectl(object));
    }),
    { numRuns: 20, endOnFailure: true },
  );
});
