/**
 * Does a new registries.conf ask for a drain?
 *
 * CRI-O takes it over by a reload. Pods that run need no drain as long as every image that could be pulled before still can,
 * from where it came: registries and mirrors may be added where they answer for digests only, and nothing may be taken away.
 * Whatever cannot be told counts as unsafe.
 */
import { formatProblem } from '../../base/errors.ts';
import { fileContents } from '../../config/ignition/index.ts';
import { parseRegistriesToml, REGISTRIES_CONF, type WrittenRegistry } from '../../config/registries/index.ts';
import type { NodeConfig } from './plan-types.ts';

export type RegistriesChange = { readonly isSafe: boolean; readonly log: readonly string[] };

export function registriesChange(from: NodeConfig, to: NodeConfig): RegistriesChange {
  const before = readRegistries(from);
  const after = readRegistries(to);
  const why =
    typeof before === 'string'
      ? `old contents: ${before}`
      : typeof after === 'string'
        ? `new contents: ${after}`
        : unsafeChange(before, after);
  const text = why ?? 'changes made are safe to skip drain';
  return { isSafe: why === undefined, log: [`${REGISTRIES_CONF}: ${text}`] };
}

type Mirror = { readonly location: string; readonly pullFrom: string };

type Registry = {
  readonly prefix: string;
  readonly location: string;
  readonly blocked: boolean;
  readonly insecure: boolean;
  readonly isDigestOnly: boolean;
  readonly mirrors: ReadonlyMap<string, Mirror>;
};

type Registries = { readonly search: readonly string[]; readonly byKey: ReadonlyMap<string, Registry> };

const DIGEST_ONLY = 'digest-only';

/** The first thing that makes it unsafe. */
function unsafeChange(before: Registries, after: Registries): string | undefined {
  if (before.search.some((name, index) => after.search[index] !== name)) {
    return `unqualified-search-registries has changed from ${listText(before.search)} to ${listText(after.search)}`;
  }
  for (const key of before.byKey.keys()) {
    if (!after.byKey.has(key)) return `registry ${key} has been removed`;
  }
  for (const [key, registry] of after.byKey) {
    const old = before.byKey.get(key);
    const why = old === undefined ? unsafeAddition(key, registry) : unsafeEdit(key, old, registry);
    if (why !== undefined) return why;
  }
  return undefined;
}

function unsafeAddition(key: string, { mirrors, isDigestOnly }: Registry): string | undefined {
  const isSafe = mirrors.size === 0 ? isDigestOnly : [...mirrors.values()].every(answersDigestsOnly);
  return isSafe
    ? undefined
    : `registry ${key} has been added with mirror does not set pull-from-mirror=${DIGEST_ONLY}`;
}

function unsafeEdit(key: string, old: Registry, registry: Registry): string | undefined {
  for (const field of ['prefix', 'location', 'blocked', 'insecure'] as const) {
    if (old[field] !== registry[field]) {
      return `${field} value for registry ${key} has changed from ${old[field]} to ${registry[field]}`;
    }
  }
  for (const location of old.mirrors.keys()) {
    if (!registry.mirrors.has(location)) return `mirror ${location} has been removed in registry ${key}`;
  }
  for (const [location, mirror] of registry.mirrors) {
    const oldMirror = old.mirrors.get(location);
    if (answersDigestsOnly(mirror) || oldMirror?.pullFrom === mirror.pullFrom) continue;
    if (oldMirror !== undefined) {
      return `pull-from-mirror value for mirror ${location} in registry ${key} has changed from ${oldMirror.pullFrom} to ${mirror.pullFrom}`;
    }
    if (!registry.isDigestOnly) {
      // The space at the end is part of the line that people know.
      return `mirror ${location} has been added in registry ${key} that has pull-from-mirror set to ${mirror.pullFrom} `;
    }
  }
  return undefined;
}

function answersDigestsOnly({ pullFrom }: Mirror): boolean {
  return pullFrom === DIGEST_ONLY;
}

function listText(names: readonly string[]): string {
  return `[${names.join(' ')}]`;
}

/** A text says why they cannot be told: where the config has no such file, the OS' own holds, which nobody here knows. */
function readRegistries({ ignition }: NodeConfig): Registries | string {
  const file = ignition.storage?.files?.find(({ path }) => path === REGISTRIES_CONF);
  if (file === undefined) return 'not part of the config';
  const bytes = fileContents(file.contents);
  if (bytes.kind === 'invalid') return bytes.problems.map(({ message }) => message).join(', ');
  const written = parseRegistriesToml(new TextDecoder().decode(bytes.value));
  if (written.kind === 'invalid') return written.problems.map(formatProblem).join(', ');
  const registries = written.value.registries.map(asRegistry);
  return {
    search: written.value.search ?? [],
    byKey: new Map(registries.map((registry) => [registry.prefix || registry.location, registry])),
  };
}

function asRegistry(written: WrittenRegistry): Registry {
  const { prefix, location, blocked, insecure, mirrorByDigestOnly } = written;
  const mirrors = written.mirrors.map((mirror) => ({
    location: mirror.location,
    pullFrom: mirror.pullFromMirror,
  }));
  return {
    ...{ prefix, location, blocked, insecure },
    isDigestOnly: mirrorByDigestOnly,
    mirrors: new Map(mirrors.map((mirror) => [mirror.location, mirror])),
  };
}
