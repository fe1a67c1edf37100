import { parse } from 'smol-toml';
import { expect, it } from 'vitest';
import { ok } from '../../base/errors.ts';
import { formatRegistriesConf, parseRegistriesConf, type Registry } from './registries-conf.ts';
import { entryOf, type RegistryEntry, registryOf } from './registry-entries.ts';

const entries: readonly RegistryEntry[] = [
  {
    scope: 'registry.example/ns',
    isInsecure: true,
    isBlocked: true,
    mirrors: [
      { location: 'mirror.example/ns', isInsecure: true, use: 'digest-only' },
      { location: 'other.example/ns', isInsecure: false, use: 'tag-only' },
    ],
  },
  { scope: '*.example.com', isInsecure: false, isBlocked: false, mirrors: [] },
];
const registries = entries.map(registryOf);
const search = ['registry.access.redhat.com', 'docker.io'];

it('is written like upstream writes it', () => {
  expect(formatRegistriesConf({ search, registries })).toBe(`\
unqualified-search-registries = ["registry.access.redhat.com", "docker.io"]
short-name-mode = ""
additional-layer-store-auth-helper = ""

[[registry]]
  prefix = ""
  location = "registry.example/ns"
  insecure = true
  blocked = true

  [[registry.mirror]]
    location = "mirror.example/ns"
    insecure = true
    pull-from-mirror = "digest-only"

  [[registry.mirror]]
    location = "other.example/ns"
    pull-from-mirror = "tag-only"

[[registry]]
  prefix = "*.example.com"
`);
});

it('is read back as it was written', () => {
  const conf = { aliases: new Map(), isFirstVersion: false };
  const read = parseRegistriesConf(formatRegistriesConf({ search, registries }));
  expect(read).toEqual(ok({ ...conf, search, registries }));
  expect(registries.map(entryOf)).toEqual(entries);
  const empty = { search: [], registries: [] };
  expect(parseRegistriesConf(formatRegistriesConf(empty))).toEqual(ok({ ...conf, ...empty }));
});

it('quotes every text', () => {
  const scope = 'a"b\\c\n[[registry]]';
  const text = formatRegistriesConf({ search: [scope], registries: [aRegistry(scope)] });
  expect(parse(text)).toMatchObject({
    'unqualified-search-registries': [scope],
    registry: [{ location: scope }],
  });
});

it.each(['not = [toml', '[registry]\nx = 1', 'registry = 5', '[[registry]]\nmirror = "x"'])(
  'does not throw on %j',
  (text) => {
    expect(() => parseRegistriesConf(text)).not.toThrow();
  },
);

it.each<[string, string, string]>([
  ['a = ', '', 'not TOML (line 1, column 5)'],
  ['registry = {}', 'registry', 'must be an array of tables'],
  ['registry = [true]', 'registry[0]', 'must be a table'],
  ['[[registry]]\nblocked = "yes"', 'registry[0].blocked', 'must be true or false'],
  ['[[registry]]\nprefix = 3', 'registry[0].prefix', 'must be a string'],
  [
    '[[registry]]\n[[registry.mirror]]\ninsecure = 1',
    'registry[0].mirror[0].insecure',
    'must be true or false',
  ],
  ['unqualified-search-registries = [1]', 'unqualified-search-registries', 'must be an array of strings'],
  ['aliases = 1', 'aliases', 'must be a table'],
  ['[aliases]\na = 1', 'aliases.a', 'must be a string'],
])('rejects %j, with the path of the problem', (text, path, message) => {
  expect(parseRegistriesConf(text)).toEqual({ kind: 'invalid', problems: [{ path, message }] });
});

it('reads all fields without interpreting them', () => {
  const text = `
unqualified-search-registries = ["registry.access.redhat.com", "docker.io"]
short-name-mode = ""
additional-layer-store-auth-helper = ""

[[registry]]
  prefix = ""
  location = "registry.example/ns"
  insecure = true
  blocked = true
  mirror-by-digest-only = true

  [[registry.mirror]]
    location = "mirror.example/ns/"
    insecure = true
    pull-from-mirror = "digest-only"

[aliases]
  "ubi9" = "registry.access.redhat.com/ubi9"
`;
  expect(parseRegistriesConf(text)).toMatchObject({
    value: {
      search: ['registry.access.redhat.com', 'docker.io'],
      registries: [
        {
          prefix: '',
          location: 'registry.example/ns',
          insecure: true,
          blocked: true,
          mirrorByDigestOnly: true,
          pullFromMirror: '',
          mirrors: [{ location: 'mirror.example/ns/', insecure: true, pullFromMirror: 'digest-only' }],
        },
      ],
      aliases: new Map([['ubi9', 'registry.access.redhat.com/ubi9']]),
      isFirstVersion: false,
    },
  });
});

it('reads missing fields as empty, except for the search list', () => {
  expect(parseRegistriesConf('')).toMatchObject({ value: { search: undefined, registries: [] } });
  expect(parseRegistriesConf('unqualified-search-registries = []')).toMatchObject({ value: { search: [] } });
  expect(parseRegistriesConf('[registries.search]\nregistries = ["a"]')).toMatchObject({
    value: { search: undefined, isFirstVersion: true },
  });
});

function aRegistry(location: string): Registry {
  return registryOf({ scope: location, isInsecure: false, isBlocked: false, mirrors: [] });
}
