import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aRandomMachineConfig, hostileJson } from '../../../test/support/arbitraries.ts';
import { aMachineConfig, aPool, someSettings } from '../../../test/support/build.ts';
import type { MachineConfig, MachineConfigPool } from '../../api/index.ts';
import { parseIgnition } from '../ignition/index.ts';
import { render } from './render.ts';

const sources = fc.uniqueArray(aRandomMachineConfig, {
  selector: ({ metadata }) => metadata.name,
  maxLength: 6,
});

describe('render', () => {
  it('does not depend on the order of its input', () => {
    fc.assert(
      fc.property(
        sources.chain((all) =>
          fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
        ),
        fc.constantFrom('worker', 'infra'),
        ([all, shuffled], name) => {
          const pool = aPool(name);
          const once = render({ pool, machineConfigs: all, settings: someSettings });
          // A copy, so that nothing remembered of the first objects can help.
          const copy = structuredClone(shuffled);
          expect(render({ pool, machineConfigs: copy, settings: someSettings })).toEqual(once);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('returns a config that parses back to itself', () => {
    fc.assert(
      fc.property(sources, (all) => {
        const result = render({ pool: aPool(), machineConfigs: all, settings: someSettings });
        if (
          result.kind !== 'rendered' ||
          result.warnings.some(({ message }) => message.includes('once all are merged'))
        )
          return;
        const config = result.machineConfig.spec.config;
        expect(parseIgnition(config)).toMatchObject({ kind: 'ok', value: config });
      }),
      { numRuns: 200 },
    );
  });

  it('names an existing source for every file and unit', () => {
    fc.assert(
      fc.property(sources, (all) => {
        const result = render({ pool: aPool('infra'), machineConfigs: all, settings: someSettings });
        if (result.kind !== 'rendered') return;
        const names = new Set([...all.map(({ metadata }) => metadata.name), '']);
        for (const origin of result.origins) {
          for (const name of [origin.source, ...origin.overrode, ...Object.values(origin.kept ?? {})]) {
            expect(names).toContain(name);
          }
          expect(origin.overrode).not.toContain(origin.source);
        }
        const config = result.machineConfig.spec.config as { storage?: { files?: { path: string }[] } };
        const files = (config.storage?.files ?? []).map(({ path }) => path);
        const named = result.origins.filter(({ kind }) => kind === 'file').map(({ name }) => name);
        expect(named).toEqual(files);
      }),
      { numRuns: 200 },
    );
  });

  it('returns problems for any input, and never throws', () => {
    fc.assert(
      fc.property(hostileJson, hostileJson, hostileJson, (a, b, c) => {
        const machineConfigs = [
          a as MachineConfig,
          aMachineConfig('x', b as MachineConfig['spec']),
          aMachineConfig('y', { config: c } as MachineConfig['spec']),
          aMachineConfig('z', { kernelArguments: c, extensions: b, fips: a } as MachineConfig['spec']),
          aMachineConfig(
            'l',
            {},
            { labels: b as Record<string, string>, annotations: c as Record<string, string> },
          ),
        ];
        for (const machineConfig of machineConfigs) {
          const result = render({ pool: aPool(), machineConfigs: [machineConfig], settings: someSettings });
          if (result.kind === 'refused') expect(result.problems.length).toBeGreaterThan(0);
        }
        for (const pool of [
          a as MachineConfigPool,
          aPool('worker', b as object),
          aPool('worker', { machineConfigSelector: c as object }),
        ]) {
          render({ pool, machineConfigs, settings: someSettings });
        }
        render({
          pool: aPool(),
          machineConfigs: [aMachineConfig('x')],
          settings: someSettings,
          current: a as MachineConfig,
        });
      }),
      { numRuns: 300 },
    );
  });
});
