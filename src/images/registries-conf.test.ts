import { describe, expect, test } from 'vitest';
import { type ConfFile, mergeRegistriesConf, readRegistriesConf } from './registries-conf.ts';

const MAIN = '/etc/containers/registries.conf';
const main = (text: string) => ({ path: MAIN, text });
const dropIn = (name: string, text: string) => ({ path: `${MAIN}.d/${name}`, text });
const registry = (fields: string, ...mirrors: readonly string[]) =>
  [`[[registry]]\n${fields}\n`, ...mirrors.map((mirror) => `[[registry.mirror]]\n${mirror}\n`)].join('');

function merged(...files: readonly ConfFile[]) {
  const outcome = mergeRegistriesConf(files);
  if (outcome.kind === 'invalid') throw new Error(JSON.stringify(outcome.problems));
  return outcome.value;
}

describe('mergeRegistriesConf rejects invalid files with the messages of container tools', () => {
  // biome-ignore format: a table.
  test.each<[string, string]>([
    ['= x', 'not TOML (line 1, column 1)'],
    ['registry = 1', 'registry: must be an array of tables'],
    ['[registries.search]\nregistries = ["a"]', 'registry must be in v2 format but is in v1'],
    ['[[registry]]', 'invalid condition: both location and prefix are unset'],
    [registry('prefix = "a.io"'), 'invalid condition: location is unset and prefix is not in the format: *.example.com'],
    [registry('prefix = "*.a.io/b"'), 'Wildcarded prefix should be in the format: *.example.com. Current prefix "*.a.io/b" is incorrectly formatted'],
    [registry('location = "https://a.io"'), "invalid location 'https://a.io': URI schemes are not supported"],
    [registry('location = "a.io"\npull-from-mirror = "all"'), 'pull-from-mirror must not be set for a non-mirror registry "a.io"'],
    [registry('location = "a.io"', 'insecure = true'), 'invalid condition: mirror location is unset'],
    [registry('location = "a.io"', 'location = "http://m.io"'), "invalid location 'http://m.io': URI schemes are not supported"],
    [registry('location = "a.io"', 'location = "m.io"\npull-from-mirror = "never"'), 'unsupported pull-from-mirror value "never" for mirror "m.io"'],
    [registry('location = "a.io"\nmirror-by-digest-only = true', 'location = "m.io"\npull-from-mirror = "all"'), 'cannot set mirror usage mirror-by-digest-only for the registry ("a.io") and pull-from-mirror for per-mirror ("m.io") at the same time'],
    [registry('location = "a.io"') + registry('prefix = "b.io"\nlocation = "a.io"\nblocked = true'), "registry 'a.io' is defined multiple times with conflicting 'blocked' setting"],
    [registry('location = "a.io"\ninsecure = true') + registry('prefix = "b.io"\nlocation = "a.io"'), "registry 'a.io' is defined multiple times with conflicting 'insecure' setting"],
    ['unqualified-search-registries = ["docker.io/library"]', 'Invalid unqualified-search-registries entry "docker.io/library"'],
  ])('%j', (text, why) => {
    const problem = (what: string, path: string) => ({
      kind: 'invalid', problems: [{ path: '', message: `loading ${what} configuration "${path}": ${why}` }],
    });
    expect(mergeRegistriesConf([main(text)])).toEqual(problem('registries', MAIN));
    expect(mergeRegistriesConf([main(''), dropIn('a.conf', text)])).toEqual(
      problem('drop-in registries', `${MAIN}.d/a.conf`),
    );
  });
});

test('an entry without a prefix has its location as prefix, and trailing slashes are ignored', () => {
  const text = registry('prefix = ""\nlocation = "a.io/b/"', 'location = "m.io/"\ninsecure = true');
  expect(merged(main(text)).registries).toEqual([
    {
      prefix: 'a.io/b',
      location: 'a.io/b',
      insecure: false,
      blocked: false,
      pullFromMirror: '',
      mirrorByDigestOnly: false,
      mirrors: [{ location: 'm.io', insecure: true, pullFromMirror: 'all' }],
    },
  ]);
});

test('mirror-by-digest-only applies to each mirror', () => {
  const text = registry('location = "a.io"\nmirror-by-digest-only = true', 'location = "m.io"');
  expect(merged(main(text)).registries[0]?.mirrors).toMatchObject([{ pullFromMirror: 'digest-only' }]);
});

test('the first of two entries with the same prefix in a file counts, and the last of two files', () => {
  const twice =
    registry('prefix = "a.io"\nlocation = "b.io"') + registry('prefix = "a.io"\nlocation = "c.io"');
  const locations = (...files: readonly ConfFile[]) =>
    merged(...files).registries.map(({ prefix, location }) => `${prefix}=${location}`);
  expect(locations(main(twice))).toEqual(['a.io=b.io']);
  const other = dropIn(
    '1.conf',
    registry('location = "0.io"') + registry('prefix = "a.io"\nlocation = "d.io"'),
  );
  expect(locations(main(twice), other)).toEqual(['0.io=0.io', 'a.io=d.io']);
});

test('the search list is that of the last file with one, even an empty one', () => {
  const search = (...hosts: readonly string[]) => `unqualified-search-registries = ${JSON.stringify(hosts)}`;
  const first = main(search('a.io', 'b.io'));
  expect(merged(first, dropIn('1.conf', ''))).toMatchObject({ search: ['a.io', 'b.io'], searchFrom: MAIN });
  expect(merged(first, dropIn('1.conf', search('c.io')))).toMatchObject({
    search: ['c.io'],
    searchFrom: `${MAIN}.d/1.conf`,
  });
  expect(merged(first, dropIn('1.conf', search()))).toMatchObject({ search: [] });
  expect(merged()).toMatchObject({ search: [], searchFrom: '' });
});

test('aliases of all files are merged, and an empty one removes an earlier one', () => {
  const files = [main('[aliases]\na = "x.io/a"\nb = "x.io/b"'), dropIn('1.conf', '[aliases]\na = ""')];
  expect(merged(...files).aliases).toEqual(new Map([['b', 'x.io/b']]));
});

describe('readRegistriesConf', () => {
  const reader = (files: { readonly [path: string]: string }) => ({
    read: async (path: string) =>
      Object.hasOwn(files, path) ? new TextEncoder().encode(files[path]) : undefined,
    list: async (path: string) => {
      const names = Object.keys(files).filter((one) => one.startsWith(`${path}/`));
      return names.length === 0 ? undefined : names.map((one) => one.slice(path.length + 1));
    },
  });

  test('fails where any file is invalid', async () => {
    await expect(readRegistriesConf(reader({ [`${MAIN}.d/x.conf`]: '=' }))).rejects.toMatchObject({
      kind: 'stalled',
      reason: 'BadRegistriesConf',
    });
  });

  test('reads the drop-ins in the order of their names, without those that do not end in .conf', async () => {
    expect(await readRegistriesConf(reader({}))).toMatchObject({ registries: [], searchFrom: '' });
    const of = (location: string) => registry(`prefix = "a.io"\nlocation = "${location}"`);
    const conf = await readRegistriesConf(
      reader({
        [`${MAIN}.d/99-last.conf`]: of('last.io'),
        [`${MAIN}.d/01-first.conf`]: of('first.io'),
        [`${MAIN}.d/99-z.conf.bak`]: '= broken',
      }),
    );
    expect(conf.registries).toMatchObject([{ prefix: 'a.io', location: 'last.io' }]);
  });
});
