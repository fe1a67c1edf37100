import { gzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { aNodeConfig } from '../../../test/support/a-node-config.ts';
import { aFile } from '../../../test/support/build.ts';
import { base64DataUrl } from '../../config/ignition/index.ts';
import { REGISTRIES_CONF_PATH } from '../../config/registries/index.ts';
import { registriesChange } from './registries-change.ts';

const conf = (toml: string) => aNodeConfig('c', { storage: { files: [aFile(REGISTRIES_CONF_PATH, toml)] } });
const registry = (fields: string, ...mirrors: readonly string[]) =>
  [`[[registry]]\n${fields}\n`, ...mirrors.map((fields) => `[[registry.mirror]]\n${fields}\n`)].join('');
const R = 'location = "r"';
const M = 'location = "m"';
const DIGEST = 'pull-from-mirror = "digest-only"';
const TAG = 'pull-from-mirror = "tag-only"';
const BY_DIGEST = 'mirror-by-digest-only = true';

describe('registriesChange needs a drain, with the reason, for', () => {
  // biome-ignore format: a table.
  test.each<[string, string, string]>([
    [registry(R), '', 'registry r has been removed'],
    [registry('prefix = "p"\nlocation = "r"'), registry(R), 'registry p has been removed'],
    [registry(R, M), registry(R), 'mirror m has been removed in registry r'],
    [registry(R), registry(R, `${M}\n${TAG}`), 'mirror m has been added in registry r that has pull-from-mirror set to tag-only '],
    [registry(R), registry(R, M), 'mirror m has been added in registry r that has pull-from-mirror set to  '],
    ['', registry(R), 'registry r has been added with mirror does not set pull-from-mirror=digest-only'],
    ['', registry(R, `${M}\n${DIGEST}`, 'location = "n"'), 'registry r has been added with mirror does not set pull-from-mirror=digest-only'],
    ['', registry(`${R}\n${BY_DIGEST}`, M), 'registry r has been added with mirror does not set pull-from-mirror=digest-only'],
    [registry(R), registry(`${R}\nblocked = true`), 'blocked value for registry r has changed from false to true'],
    [registry(`${R}\ninsecure = true`), registry(R), 'insecure value for registry r has changed from true to false'],
    [registry('prefix = "p"\nlocation = "r"'), registry('prefix = "p"\nlocation = "s"'), 'location value for registry p has changed from r to s'],
    [registry('location = "p"'), registry('prefix = "p"\nlocation = "p"'), 'prefix value for registry p has changed from  to p'],
    [registry(R, `${M}\n${DIGEST}`), registry(R, M), 'pull-from-mirror value for mirror m in registry r has changed from digest-only to '],
    ['unqualified-search-registries = ["a", "b"]', 'unqualified-search-registries = ["b", "a"]', 'unqualified-search-registries has changed from [a b] to [b a]'],
    ['unqualified-search-registries = ["a"]', '', 'unqualified-search-registries has changed from [a] to []'],
    ['= broken', '', 'old contents: not TOML (line 1, column 1)'],
    ['', '[[registry', 'new contents: not TOML (line 1, column 3)'],
  ])('%j → %j', (before, after, why) => {
    expect(registriesChange(conf(before), conf(after))).toEqual({
      isSafe: false,
      log: [`/etc/containers/registries.conf: ${why}`],
    });
  });
});

describe('registriesChange needs no drain for', () => {
  test.each<[string, string]>([
    ['', ''],
    ['', registry(R, `${M}\n${DIGEST}`)],
    ['', registry(`${R}\n${BY_DIGEST}`)],
    [registry(R), registry(R, `${M}\n${DIGEST}`)],
    [registry(R), registry(`${R}\n${BY_DIGEST}`, M)],
    [registry(R, M), registry(R, `${M}\n${DIGEST}`)],
    [registry(R, `${M}\n${TAG}`), registry(R, `${M}\n${TAG}`)],
    [registry(R, M, 'location = "n"'), registry(R, 'location = "n"', M)],
    [registry(R, M), registry(R, `${M}\ninsecure = true`)],
    [registry(R), registry(`${R}\n${BY_DIGEST}`)],
    ['short-name-mode = ""', 'short-name-mode = "enforcing"'],
    ['unqualified-search-registries = ["a"]', 'unqualified-search-registries = ["a", "b"]'],
  ])('%j → %j', (before, after) => {
    expect(registriesChange(conf(before), conf(after))).toEqual({
      isSafe: true,
      log: ['/etc/containers/registries.conf: changes made are safe to skip drain'],
    });
  });

  test('reads compressed contents', () => {
    const packed = gzipSync(new TextEncoder().encode(registry(R)), { mtime: 0 });
    const contents = { source: base64DataUrl('', packed), compression: 'gzip' };
    const zipped = aNodeConfig('c', { storage: { files: [{ path: REGISTRIES_CONF_PATH, contents }] } });
    expect(registriesChange(zipped, conf(registry(R))).isSafe).toBe(true);
    expect(registriesChange(zipped, conf('')).isSafe).toBe(false);
  });
});

test('a config without registries.conf needs a drain, as the file of the OS is unknown', () => {
  const none = aNodeConfig('none');
  expect(registriesChange(none, conf(''))).toMatchObject({
    isSafe: false,
    log: ['/etc/containers/registries.conf: old contents: not part of the config'],
  });
  expect(registriesChange(conf(''), none).isSafe).toBe(false);
});

test.each([
  ['registry = 5', 'registry: must be an array of tables'],
  ['registry = [1]', 'registry[0]: must be a table'],
  ['unqualified-search-registries = "a"', 'unqualified-search-registries: must be an array of strings'],
  ['[[registry]]\nmirror = 3', 'registry[0].mirror: must be an array of tables'],
])('an invalid file needs a drain: %j', (toml, why) => {
  expect(registriesChange(conf(toml), conf(toml))).toMatchObject({
    isSafe: false,
    log: [`/etc/containers/registries.conf: old contents: ${why}`],
  });
});

test('keys like __proto__ have no effect', () => {
  const toml = '__proto__ = 1\n[constructor]\n';
  expect(registriesChange(conf(toml), conf(toml)).isSafe).toBe(true);
});
