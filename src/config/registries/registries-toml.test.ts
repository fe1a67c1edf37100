import { expect, test } from 'vitest';
import { parseRegistriesToml } from './registries-toml.ts';

test.each<[string, string, string]>([
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
])('%j is refused, and where', (text, path, message) => {
  expect(parseRegistriesToml(text)).toEqual({ kind: 'invalid', problems: [{ path, message }] });
});

test('all that is written is read, as it is written', () => {
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
  expect(parseRegistriesToml(text)).toMatchObject({
    value: {
      search: ['registry.access.redhat.com', 'docker.io'],
      registries: [
        {
          ...{ prefix: '', location: 'registry.example/ns', insecure: true, blocked: true },
          ...{ mirrorByDigestOnly: true, pullFromMirror: '' },
          mirrors: [{ location: 'mirror.example/ns/', insecure: true, pullFromMirror: 'digest-only' }],
        },
      ],
      aliases: new Map([['ubi9', 'registry.access.redhat.com/ubi9']]),
      isFirstVersion: false,
    },
  });
});

test('what is left out is empty, and a search list that is left out is not an empty one', () => {
  expect(parseRegistriesToml('')).toMatchObject({ value: { search: undefined, registries: [] } });
  expect(parseRegistriesToml('unqualified-search-registries = []')).toMatchObject({ value: { search: [] } });
  expect(parseRegistriesToml('[registries.search]\nregistries = ["a"]')).toMatchObject({
    ...{ value: { search: undefined, isFirstVersion: true } },
  });
});
