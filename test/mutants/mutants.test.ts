import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { applyPatch } from '../../scripts/sim/source-patch.ts';
import { MUTANTS } from './index.ts';

describe('a mutant', () => {
  it.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))(
    'named %s applies to the sources as they are',
    (_, { patches }) => {
      const sources = new Map<string, string>();
      for (const patch of patches) {
        const source = sources.get(patch.file) ?? readFileSync(patch.file, 'utf8');
        sources.set(patch.file, applyPatch(source, patch));
      }
      expect(sources.size).toBeGreaterThan(0);
    },
  );

  it('has a name of its own, and a seed that the suite may try', () => {
    const names = MUTANTS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, seed = 1 } of MUTANTS) expect(seed >= 1 && seed <= 1_000, name).toBe(true);
  });

  it('is in the list, whichever file it is in', () => {
    const list = readFileSync('test/mutants/index.ts', 'utf8');
    const files = readdirSync('test/mutants').filter((name) => !/^(index|.*\.test)\.ts$/.test(name));
    for (const file of files) expect(list, file).toContain(`'./${file}'`);
  });
});

describe('a patch', () => {
  const patch = { file: 'src/a.ts', from: 'one', to: 'two $&' };

  it('replaces its text, taken literally', () => {
    expect(applyPatch('a one b', patch)).toBe('a two $& b');
  });

  it('fails where its text is missing, occurs twice, or would not change', () => {
    expect(() => applyPatch('a', patch)).toThrow(
      'src/a.ts: the text to replace occurs 0 times, not once: one',
    );
    expect(() => applyPatch('one one', patch)).toThrow('2 times');
    expect(() => applyPatch('one', { ...patch, to: 'one' })).toThrow('changes nothing');
  });
});
