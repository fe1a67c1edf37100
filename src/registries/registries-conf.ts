/**
 * registries.conf, as text: what containers' tools and CRI-O read (containers-registries.conf(5), version 2).
 */
import { parse, stringify } from 'smol-toml';
import { isObject, own } from '../json.ts';
import type { RegistryEntry, RegistryMirror } from './registry-entries.ts';
import { isWildcard } from './scope.ts';

export type RegistriesConf = {
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

/** Undefined where it is no TOML. What is not written here is not read either. */
export function parseRegistriesConf(text: string): RegistriesConf | undefined {
  let document: unknown;
  try {
    document = parse(text);
  } catch {
    return undefined;
  }
  const search = listOf(field(document, 'unqualified-search-registries')).map(textOf);
  return { search, entries: listOf(field(document, 'registry')).map(entryOf) };
}

function entryOf(value: unknown): RegistryEntry {
  return {
    scope: textOf(field(value, 'prefix')) || textOf(field(value, 'location')),
    isInsecure: field(value, 'insecure') === true,
    isBlocked: field(value, 'blocked') === true,
    mirrors: listOf(field(value, 'mirror')).map((mirror) => ({
      location: textOf(field(mirror, 'location')),
      isInsecure: field(mirror, 'insecure') === true,
      use: field(mirror, 'pull-from-mirror') === 'tag-only' ? 'tag-only' : 'digest-only',
    })),
  };
}

function field(value: unknown, name: string): unknown {
  return isObject(value) ? own(value, name) : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
