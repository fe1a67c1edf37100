import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { PinnedScenario } from './pinned-scenario.ts';
import { failureOf, SIMULATION_LIMIT_MS } from './simulations.ts';

const files = readdirSync('test/simulation/pinned').filter((name) => name.endsWith('.ts'));
const scenarios = await Promise.all(
  files.map(async (file) => {
    const { pinned } = (await import(`./pinned/${file}`)) as { readonly pinned: PinnedScenario };
    return [pinned.name, file, pinned.scenario] as const;
  }),
);

describe('a cluster converges, and nothing goes wrong on the way, where', () => {
  it.each(scenarios)(
    '%s (%s)',
    async (name, _, scenario) => {
      const replay = `npx vitest run test/simulation/pinned.test.ts -t ${JSON.stringify(name)}`;
      expect(await failureOf(scenario, replay)).toBe('');
    },
    SIMULATION_LIMIT_MS,
  );

  it('has a name of its own for every pinned scenario', () => {
    expect(new Set(scenarios.map(([name]) => name)).size).toBe(files.length);
  });
});
