/**
 * What the machine config server sends, read by the real Ignition: spec 3 by its current library, spec 2 by that of the 0.35 series.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ControllerConfigSpec, MachineConfig, MachineConfigPool } from '../../src/api/index.ts';
import { canonicalJson } from '../../src/base/json.ts';
import { readTemplates } from '../../src/cli/render/read-templates.ts';
import {
  ConfigMerger,
  encodeIgnition,
  parseIgnition,
  type TargetVersion,
} from '../../src/config/ignition/index.ts';
import { baseConfigs } from '../../src/config/render/index.ts';
import { type JoinSnapshot, pointerConfig, servedConfig } from '../../src/joining/index.ts';
import { configCases, mergeCases } from './corpus.ts';
import { anyConfig } from './ignition-arbitraries.ts';
import type { Oracle } from './oracle.ts';
import { askToParse, askToValidate } from './questions.ts';
import { withOracle } from './with-oracle.ts';

const VERSIONS: readonly TargetVersion[] = ['2.2.0', '3.0.0', '3.1.0', '3.2.0', '3.3.0', '3.4.0', '3.5.0'];
const SECTIONS = [
  'files',
  'directories-and-links',
  'resources',
  'units',
  'passwd',
  'disks',
  'raid',
  'filesystems',
  'luks',
  'section',
];

function snapshotOf(config: unknown): JoinSnapshot {
  const metadata = { name: 'rendered-worker-1' };
  return {
    pool: { metadata: { name: 'worker' }, spec: { configuration: metadata } } as MachineConfigPool,
    config: { metadata, spec: { config } } as unknown as MachineConfig,
    controllerConfig: { kubeAPIServerServingCAData: btoa('CA') } as unknown as ControllerConfigSpec,
    osConfigs: [],
    osBuilds: [],
    bootstrap: { server: 'https://api.example:6443', authorityPem: 'CA', token: 'token' },
  };
}

/** What the machine gets, or nothing where the version cannot express it. */
function served(config: unknown, version: TargetVersion): unknown {
  const outcome = servedConfig(snapshotOf(config), version);
  return outcome.kind === 'ok' ? JSON.parse(outcome.value) : undefined;
}

/** Errors, and keys that this version does not have: what they say would get lost. */
async function complaints(oracle: Oracle, config: unknown): Promise<readonly string[]> {
  const { ok, stage, error, report } = await askToValidate(oracle, config);
  // Special mode bits of files are refused by the operator, not by Ignition.
  const isValid = ok || stage === 'mode';
  const lost = report.filter(({ kind, message }) => kind === 'error' || /unused key/i.test(message));
  return [...(isValid ? [] : [error ?? 'refused']), ...lost.map(({ message }) => message)];
}

function merged(configs: readonly unknown[]): unknown {
  const merger = new ConfigMerger();
  for (const [index, config] of configs.entries()) {
    const parsed = config === null ? undefined : parseIgnition(config);
    if (parsed?.kind === 'ok') merger.absorb(parsed.value, `config ${index}`);
  }
  return encodeIgnition(merger.finish().config);
}

/** The base configs of each role, merged as rendering does. */
async function renderedBaseConfigs(): Promise<readonly unknown[]> {
  const templates = await readTemplates(process.cwd());
  return ['master', 'worker'].map((role) => {
    const outcome = baseConfigs(templates, { controllerVersion: 'v1', roles: [role] });
    if (outcome.kind === 'invalid') throw new Error(JSON.stringify(outcome.problems));
    return merged(outcome.value.map(({ spec }) => spec?.config ?? null));
  });
}

await withOracle('ignition', (oracle) => {
  describe.each(VERSIONS)('what is served as %s', (version) => {
    it('is valid for the rendered base configs', async () => {
      const configs = await renderedBaseConfigs();
      expect(configs.length).toBeGreaterThan(1);
      for (const config of configs) {
        const given = served(config, version);
        expect(given).toMatchObject({ ignition: { version } });
        expect(await complaints(oracle, given)).toEqual([]);
      }
    });

    it('is valid for the corpus wherever it can be expressed', async () => {
      const configs = [
        ...SECTIONS.flatMap(configCases).map(({ config }) => config),
        ...mergeCases().map(({ configs: given }) => merged(given)),
      ];
      let count = 0;
      for (const config of configs) {
        const given = served(config, version);
        // Users other than core are refused by the operator in spec 2 alone, which is not Ignition's rule.
        if (given === undefined || hasOtherUsers(given)) continue;
        // A few are accepted by us alone (corpus/ignition-differences.json).
        if ((await complaints(oracle, config)).length > 0) continue;
        count++;
        expect(await complaints(oracle, given), JSON.stringify(config)).toEqual([]);
      }
      expect(count).toBeGreaterThan(100);
    });

    it('is valid for random configs, and means to Ignition what the config of the pool means', async () => {
      await fc.assert(
        fc.asyncProperty(anyConfig, async (config) => {
          const given = served(config, version);
          if (given === undefined || hasOtherUsers(given)) return;
          expect(await complaints(oracle, given)).toEqual([]);
          if (version === '2.2.0') return;
          const newest = served(config, '3.5.0');
          const [older, newer] = [await askToParse(oracle, given), await askToParse(oracle, newest)];
          expect(withoutOwn(older.config)).toBe(withoutOwn(newer.config));
        }),
        { numRuns: 200 },
      );
    });
  });

  it('accepts the pointer of a pool, with and without a token', async () => {
    const target = { serverUrl: 'https://api.example:22623', pool: 'worker', authorityPem: 'CA\n' };
    for (const pointer of [pointerConfig(target), pointerConfig({ ...target, token: 'secret' })]) {
      expect(await complaints(oracle, pointer)).toEqual([]);
    }
  });
});

function hasOtherUsers(config: unknown): boolean {
  const { ignition, passwd } = config as {
    ignition: { version: string };
    passwd?: { users?: { name: string }[] };
  };
  return ignition.version === '2.2.0' && (passwd?.users ?? []).some(({ name }) => name !== 'core');
}

/** Without the file that names the version, and without fields that older versions lack and that say nothing. */
function withoutOwn(config: unknown): string {
  const {
    storage,
    kernelArguments: _,
    ...rest
  } = config as {
    storage?: { files?: { path: string }[] };
    kernelArguments?: unknown;
  };
  const files = storage?.files?.filter(
    ({ path }) => path !== '/etc/ignition-machine-config-encapsulated.json',
  );
  const text = canonicalJson({ ...rest, storage: { ...storage, files } } as never);
  return (
    text
      .replace(/,?"(discard|resize)":false/g, '')
      .replace(/,?"(shouldExist)":true/g, '')
      .replace(/,?"cex":\{("enabled":false)?\}/g, '')
      .replace(/,?"compression":""/g, '')
      .replace(/\{,/g, '{')
      // A reference to nothing.
      .replace(/,?"replace":\{\}/g, '')
      .replace(/,?"config":\{\}/g, '')
      .replace(/\{,/g, '{')
  );
}
