/** `bin/millwright` in a pod: the heap of the real Node process follows the memory limit of its container. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listOf } from '../contract/loose.ts';
import { manifests } from '../support/manifests-files.ts';
import { packageRoot } from './run-cli.ts';

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'millwright-launcher-'));
  mkdirSync(join(root, 'bin'));
  mkdirSync(join(root, 'dist'));
  cpSync(join(packageRoot, 'bin/millwright'), join(root, 'bin/millwright'));
  writeFileSync(join(root, 'dist/package.json'), '{"type":"module"}');
  const program =
    "import v8 from 'node:v8'; console.log(v8.getHeapStatistics().heap_size_limit / 2 ** 20, ...process.argv.slice(2));";
  writeFileSync(join(root, 'dist/main.js'), program);
});
afterAll(() => rmSync(root, { recursive: true }));

/** In MiB, as the process itself reports it, and the arguments that reached it. */
function printed(limit: string | undefined, ...args: readonly string[]): string {
  const env = {
    PATH: process.env.PATH ?? '',
    NODE_OPTIONS: '--max-semi-space-size=8',
    ...(limit === undefined ? {} : { MILLWRIGHT_MEMORY_LIMIT_MIB: limit }),
  };
  return execFileSync(join(root, 'bin/millwright'), args, { env, encoding: 'utf8' }).trim();
}

/** Old space is limited; young objects have three semi-spaces. */
const YOUNG_MIB = 24;

describe('bin/millwright', () => {
  it.each([
    ['384', 288],
    ['512', 384],
    ['2048', 1536],
    ['65536', 4096],
  ])('leaves a quarter of %s MiB, up to 4 GiB, to everything but the heap', (limit, heap) => {
    expect(Number(printed(limit))).toBe(heap + YOUNG_MIB);
  });

  it.each(['', 'all', '-1', '1.5', '$(id)'])('ignores the limit %j, which is no number', (limit) => {
    expect(printed(limit)).toBe(printed(undefined));
  });

  it('passes its arguments on as they are', () => {
    expect(printed('512', 'a b', '*')).toBe(`${384 + YOUNG_MIB} a b *`);
  });
});

describe('the Deployments', () => {
  it('pass the memory limit of their container to bin/millwright', () => {
    const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
    expect(deployments).toHaveLength(3);
    for (const { spec } of deployments) {
      for (const { env } of listOf(spec?.template?.spec?.containers)) {
        expect(listOf(env)).toContainEqual({
          name: 'MILLWRIGHT_MEMORY_LIMIT_MIB',
          valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } },
        });
        expect(JSON.stringify(env)).not.toContain('max-old-space-size');
      }
    }
  });
});
