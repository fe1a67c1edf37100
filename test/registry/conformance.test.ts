/** The cases on our registry; `conformance.oracle.test.ts` runs the same on Debian's. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cases } from './conformance-cases.ts';
import { type RunningRegistry, startOurs } from './registries.ts';

describe('our registry', () => {
  let registry: RunningRegistry;
  beforeAll(async () => {
    registry = await startOurs();
  });
  afterAll(() => registry.stop());

  it.each(cases.map((one, number) => [one.title, one, number] as const))('%s', async (_, one, number) => {
    expect(await one.seen({ host: registry.host, repository: `case/number-${number}` })).toEqual(
      one.expected,
    );
  });
});
