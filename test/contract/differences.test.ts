/** Every difference that a case allows is documented, with its reason. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { contractCases } from './contract-cases.ts';

it('every case that differs on purpose has its row in the documentation', () => {
  const path = fileURLToPath(new URL('../../docs/differences.md', import.meta.url));
  const rows = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split(' | ')[0]?.slice(2));
  const matters = contractCases.flatMap(({ differs }) => (differs === undefined ? [] : [differs.matter]));
  expect(matters.length).toBeGreaterThan(0);
  expect(matters.filter((matter) => !rows.includes(matter))).toEqual([]);
});

it('no two cases of a topic have one name', () => {
  const names = contractCases.map(({ topic, name }) => `${topic}: ${name}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
