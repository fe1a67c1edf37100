import { parse } from 'smol-toml';
import { expect, it } from 'vitest';
import { formatRegistriesConf, parseRegistriesConf } from './registries-conf.ts';
import type { RegistryEntry } from './registry-entries.ts';

const entries: readonly RegistryEntry[] = [
  {
    ...{ scope: 'registry.example/ns', isInsecure: true, isBlocked: true },
    mirrors: [
      { location: 'mirror.example/ns', isInsecure: true, use: 'digest-only' },
      { location: 'other.example/ns', isInsecure: false, use: 'tag-only' },
    ],
  },
  { scope: '*.example.com', isInsecure: false, isBlocked: false, mirrors: [] },
];
const search = ['registry.access.redhat.com', 'docker.io'];

it('is written in the form that people know', () => {
  expect(formatRegistriesConf({ search, entries })).toBe(`\
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
  expect(parseRegistriesConf(formatRegistriesConf({ search, entries }))).toEqual({ search, entries });
  expect(parseRegistriesConf(formatRegistriesConf({ search: [], entries: [] }))).toEqual({
    search: [],
    entries: [],
  });
});

it('quotes whatever it is given', () => {
  const scope = 'a"b\\c\n[[registry]]';
  const text = formatRegistriesConf({ search: [scope], entries: [anEntry(scope)] });
  expect(parse(text)).toMatchObject({
    'unqualified-search-registries': [scope],
    registry: [{ location: scope }],
  });
});

it.each(['not = [toml', '[registry]\nx = 1', 'registry = 5', '[[registry]]\nmirror = "x"'])(
  'reads without a throw what others may have written: %j',
  (text) => {
    expect(() => parseRegistriesConf(text)).not.toThrow();
  },
);

function anEntry(scope: string): RegistryEntry {
  return { scope, isInsecure: false, isBlocked: false, mirrors: [] };
}
