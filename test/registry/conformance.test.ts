/** The same cases on our registry and on Debian's: where they differ, the case says why. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Case } from './conformance.ts';
import { blobCases } from './conformance-blobs.ts';
import { manifestCases } from './conformance-manifests.ts';
import { type RunningRegistry, startDebians, startOurs } from './registries.ts';
import { lacks } from './tools.ts';

const cases: readonly Case[] = [...blobCases, ...manifestCases];

describe('our registry', () => {
  let registry: RunningRegistry;
  beforeAll(async () => {
    registry = await startOurs();
  });
  afterAll(() => registry.stop());

  it.each(cases.map((one, number) => [one.says, one, number] as const))('%s', async (_, one, number) => {
    expect(await one.seen({ host: registry.host, repository: `case/number-${number}` })).toEqual(
      one.expected,
    );
  });
});

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
          one.debians === undefined ? one.says : `${one.says} (not: ${one.debians.because})`,
          one,
          number,
        ] as const,
    ),
  )('%s', async (_, one, number) => {
    const seen = await one.seen({ host: registry.host, repository: `case/number-${number}` });
    expect(seen).toEqual((one.debians ?? one).expected);
  });
});
