/** The files of a ContainerRuntimeConfig, and invalid ones. */
import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, it, test } from 'vitest';
import { fileContents } from '../ignition/index.ts';
import { containerRuntimeFiles, type RuntimeInput, STORAGE_CONF } from './container-runtime-files.ts';
import type { RuntimeSettings } from './container-runtime-problems.ts';

const BASE =
  '[storage]\ndriver = "overlay"\n[storage.options]\nadditionalimagestores = []\nsize = ""\n[storage.options.overlay]\nskip_mount_home = "true"\n';
const DROP_IN = '/etc/crio/crio.conf.d/01-ctrcfg-';

const made = (settings: RuntimeSettings, more: Partial<RuntimeInput> = {}) =>
  containerRuntimeFiles({ settings, earlier: [], storageConf: BASE, ...more });

function filesOf(
  settings: RuntimeSettings,
  more: Partial<RuntimeInput> = {},
): { readonly [path: string]: string | undefined } {
  const files = made(settings, more);
  if (files.kind === 'invalid') throw new Error(JSON.stringify(files.problems));
  return Object.fromEntries(
    files.value.map(({ path, contents }) => {
      const bytes = fileContents(contents);
      return [path, bytes.kind === 'ok' ? new TextDecoder().decode(bytes.value) : 'unreadable'];
    }),
  );
}

describe('containerRuntimeFiles rejects a ContainerRuntimeConfig', () => {
  // biome-ignore format: a table.
  test.each<[string, RuntimeSettings, string]>([
    ['for too few processes', { pidsLimit: 19 }, 'invalid PidsLimit 19'],
    ['for a negative number of processes', { pidsLimit: -1 }, 'invalid PidsLimit -1'],
    ['for more processes than can be counted', { pidsLimit: 1e20 }, 'invalid PidsLimit 100000000000000000000'],
    ['for a log that is too small', { logSizeMax: '3k' }, 'invalid LogSizeMax "3k", cannot be less than 8kB'],
    ['for a log of just so much', { logSizeMax: 8192 }, 'invalid LogSizeMax "8192", cannot be less than 8kB'],
    ['for a log of just so much, in the usual form', { logSizeMax: '8Ki' }, 'invalid LogSizeMax "8Ki", cannot be less than 8kB'],
    ['for a negative layer', { overlaySize: '-3Gi' }, 'invalid overlaySize "-3Gi", cannot be less than 0'],
    ['for a level that is none', { logLevel: 'loud' }, 'invalid LogLevel "loud", must be one of error, fatal, panic, warn, info, debug, or trace'],
    ['for a runtime that is none', { defaultRuntime: 'kata' as 'crun' }, 'invalid DefaultRuntime "kata", must be one of crun, runc'],
    ['for a store that is no path', { additionalImageStores: [{ path: 'a b' }] }, `invalid additionalImageStores path "a b": must be an absolute path containing only alphanumeric characters, '/', '.', '_', and '-'`],
    ['for a store without a path', { additionalArtifactStores: [{ path: '' }] }, 'invalid additionalArtifactStores: path must not be empty'],
    ['for a store with two slashes', { additionalLayerStores: [{ path: '/a//b' }] }, 'invalid additionalLayerStores path "/a//b": must not contain consecutive forward slashes'],
  ])('%s', (_, settings, expected) => {
    const outcome = made(settings);
    expect(outcome.kind === 'invalid' && outcome.problems.map(({ message }) => message)).toEqual([expected]);
  });

  test('rejects a base that is not TOML', () => {
    expect(made({ overlaySize: '1Gi' }, { storageConf: '[' })).toMatchObject({ kind: 'invalid' });
    expect(made({ logLevel: 'debug' }, { storageConf: '[' })).toMatchObject({ kind: 'ok' });
  });
});

describe('containerRuntimeFiles', () => {
  // biome-ignore format: a table.
  test.each<[RuntimeSettings, string, unknown]>([
    [{ logLevel: 'debug' }, 'logLevel', { crio: { runtime: { log_level: 'debug' } } }],
    [{ pidsLimit: 20 }, 'pidsLimit', { crio: { runtime: { pids_limit: 20 } } }],
    [{ pidsLimit: 0 }, 'pidsLimit', { crio: { runtime: { pids_limit: 0 } } }],
    [{ logSizeMax: '1Mi' }, 'logSizeMax', { crio: { runtime: { log_size_max: 1048576 } } }],
    [{ logSizeMax: '-1' }, 'logSizeMax', { crio: { runtime: { log_size_max: -1 } } }],
    [{ defaultRuntime: 'runc' }, 'defaultRuntime', { crio: { runtime: { default_runtime: 'runc' } } }],
    [{ additionalArtifactStores: [{ path: '/a' }, { path: '/b' }] }, 'additionalArtifactStores', { crio: { runtime: { additional_artifact_stores: ['/a', '/b'] } } }],
  ])('%j', (settings, name, expected) => {
    const files = filesOf(settings);
    expect(Object.keys(files)).toEqual([`${DROP_IN}${name}`]);
    expect(parse(files[`${DROP_IN}${name}`] ?? '')).toEqual(expected);
  });

  it('writes a drop-in as CRI-O and its users know it', () => {
    const settings = { pidsLimit: 0, additionalArtifactStores: [{ path: '/a' }, { path: '/b' }] };
    expect(filesOf(settings)).toEqual({
      [`${DROP_IN}pidsLimit`]: '[crio.runtime]\npids_limit = 0\n',
      [`${DROP_IN}additionalArtifactStores`]: '[crio.runtime]\nadditional_artifact_stores = ["/a", "/b"]\n',
    });
  });

  it('ignores settings that are empty', () => {
    expect(filesOf({ logLevel: '', logSizeMax: 0, overlaySize: '0' })).toEqual({});
  });

  it('merges storage settings into storage.conf of the base', () => {
    const settings = {
      overlaySize: '10240Mi',
      additionalImageStores: [{ path: '/images' }],
      additionalLayerStores: [{ path: '/layers' }],
    };
    expect(parse(filesOf(settings)[STORAGE_CONF] ?? '')).toEqual({
      storage: {
        driver: 'overlay',
        options: {
          additionalimagestores: ['/images'],
          additionallayerstores: ['/layers:ref'],
          size: '10Gi',
          overlay: { skip_mount_home: 'true' },
        },
      },
    });
  });

  it('keeps the storage settings of earlier objects', () => {
    const earlier = [
      { overlaySize: '1Gi', logLevel: 'debug' },
      { additionalImageStores: [{ path: '/images' }] },
      { overlaySize: '-1' },
    ];
    const text = filesOf({ overlaySize: '2Gi' }, { earlier })[STORAGE_CONF] ?? '';
    expect(parse(text)).toMatchObject({
      storage: { options: { size: '2Gi', additionalimagestores: ['/images'] } },
    });
    expect(filesOf({ logLevel: 'info' }, { earlier })).not.toHaveProperty(STORAGE_CONF);
  });
});

test('containerRuntimeFiles never throws, and accepted settings produce valid TOML', () => {
  const amount = fc.oneof(
    fc.integer(),
    fc.stringMatching(/^-?[0-9]{1,25}(Ki|Gi|Ei|m|k|E|e-?[0-9]{1,4})?$/),
    fc.string(),
  );
  const settings = fc.record(
    {
      pidsLimit: fc.oneof(fc.integer(), fc.double()),
      logLevel: fc.string(),
      logSizeMax: amount,
      overlaySize: amount,
      additionalImageStores: fc.array(fc.record({ path: fc.string() })),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(settings, (given) => {
      const files = made(given);
      if (files.kind === 'ok') {
        for (const text of Object.values(filesOf(given))) parse(text ?? '', { integersAsBigInt: true });
      }
    }),
  );
});
