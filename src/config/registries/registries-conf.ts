/**
 * registries.conf, as text: what containers' tools and CRI-O read (containers-registries.conf(5), version 2).
 */
import { stringify } from 'smol-toml';
import { parseRegistriesToml, type WrittenRegistry } from './registries-toml.ts';
import type { RegistryEntry, RegistryMirror } from './registry-entries.ts';
import { isWildcard } from './scope.ts';

type RegistriesConf = {
  /** Where images are looked for whose name has no registry. */
  readonly search: readonly string[];
  readonly entries: readonly RegistryEntry[];
};

export function formatRegistriesConf({ search, entries }: RegistriesConf): string {
  const lines = [
    `unqualified-search-registries = [${search.map(textValue).join(', ')}]`,
    'short-name-mode = ""',
    'additional-layer-store-auth-helper = ""',
    ...entries.flatMap(entryLines),
  ];
  return `${lines.join('\n')}\n`;
}

function entryLines({ scope, isInsecure, isBlocked, mirrors }: RegistryEntry): readonly string[] {
  return [
    '',
    '[[registry]]',
    // A wildcard is only ever a prefix: images keep the host that they were named by.
    ...(isWildcard(scope)
      ? [`  prefix = ${textValue(scope)}`]
      : ['  prefix = ""', `  location = ${textValue(scope)}`]),
    ...(isInsecure ? ['  insecure = true'] : []),
    ...(isBlocked ? ['  blocked = true'] : []),
    ...mirrors.flatMap(mirrorLines),
  ];
}

function mirrorLines({ location, isInsecure, use }: RegistryMirror): readonly string[] {
  return [
    '',
    '  [[registry.mirror]]',
    `    location = ${textValue(location)}`,
    ...(isInsecure ? ['    insecure = true'] : []),
    `    pull-from-mirror = ${textValue(use)}`,
  ];
}

/** The library knows how to quote. */
function textValue(text: string): string {
  return stringify({ x: text }).trim().slice('x = '.length);
}

/** Undefined where it cannot be read. What is not written here is not read either. */
export function parseRegistriesConf(text: string): RegistriesConf | undefined {
  const read = parseRegistriesToml(text);
  if (read.kind === 'invalid') return undefined;
  const { search = [], registries } = read.value;
  return { search, entries: registries.map(entryOf) };
}

function entryOf({ prefix, location, insecure, blocked, mirrors }: WrittenRegistry): RegistryEntry {
  return {
    scope: prefix || location,
    isInsecure: insecure,
    isBlocked: blocked,
    mirrors: mirrors.map((mirror) => ({
      location: mirror.location,
      isInsecure: mirror.insecure,
      use: mirror.pullFromMirror === 'tag-only' ? 'tag-only' : 'digest-only',
    })),
  };
}
