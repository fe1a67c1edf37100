/** The cases of `conformance.test.ts` on Debian's registry: where it differs from ours, the case states the reason. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cases } from './conformance-cases.ts';
import { type RunningRegistry, startDebians } from './registries.ts';
import { lacks } from './tools.ts';

describe.skipIf(lacks('docker-registry'))("Debian's registry", () => {
  let registry: RunningRegistry;
  beforeAll(async () => {
    registry = await startDebians();
  });
  afterAll(() => registry.stop());

  it.each(
    cases.map(
      (one, number) =>
        [
          one.debians === undefined ? one.title : `${one.title} (not: ${one.debians.because})`,
          one,
          number,
        ] as const,
    ),
  )('%s', async (_, one, number) => {
    const seen = await one.seen({ host: registry.host, repository: `case/number-${number}` });
    expect(seen).toEqual((one.debians ?? one).expected);
  });
});
