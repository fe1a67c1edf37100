import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PREFLIGHT_CHECKS } from '../../api/index.ts';

it('has a check for each name that the API accepts, and no other', async () => {
  const files = readdirSync(new URL('.', import.meta.url)).filter((name) => !name.includes('.test.'));
  const modules = (await Promise.all(
    files.map((name) => import(new URL(name, import.meta.url).href)),
  )) as readonly object[];
  const checks = modules
    .flatMap((module) => Object.values(module) as readonly unknown[])
    .filter(
      (one): one is { readonly name: string } => typeof one === 'object' && one !== null && 'run' in one,
    );
  expect(checks.map(({ name }) => name).sort()).toEqual([...PREFLIGHT_CHECKS].sort());
});
