/**
 * Does a change of registries.conf need a drain?
 *
 * CRI-O reloads it. Running pods need no drain as long as every image that could be pulled before still can, from the same
 * source: registries and mirrors may be added for pulls by digest only, and none may be removed. A change that cannot be
 * judged counts as unsafe.
 */
import { formatProblem } from '../../base/errors.ts';
import { fileContents, unpackedBytes } from '../../config/ignition/index.ts';
import {
  type Mirror,
  parseRegistriesConf,
  REGISTRIES_CONF_PATH,
  type RegistriesConf,
  type Registry,
} from '../../config/registries/index.ts';
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
  return { isSafe: why === undefined, log: [`${REGISTRIES_CONF_PATH}: ${text}`] };
}

const DIGEST_ONLY = 'digest-only';

/** The first reason why the change is unsafe. */
function unsafeChange(before: RegistriesConf, after: RegistriesConf): string | undefined {
  const [oldSearch, newSearch] = [before.search ?? [], after.search ?? []];
  if (oldSearch.some((name, index) => newSearch[index] !== name)) {
    return `unqualified-search-registries has changed from ${listText(oldSearch)} to ${listText(newSearch)}`;
  }
  const [oldRegistries, newRegistries] = [byKey(before), byKey(after)];
  for (const key of oldRegistries.keys()) {
    if (!newRegistries.has(key)) return `registry ${key} has been removed`;
  }
  for (const [key, registry] of newRegistries) {
    const old = oldRegistries.get(key);
    const why = old === undefined ? unsafeAddition(key, registry) : unsafeEdit(key, old, registry);
    if (why !== undefined) return why;
  }
  return undefined;
}

function unsafeAddition(key: string, { mirrors, mirrorByDigestOnly }: Registry): string | undefined {
  const isSafe = mirrors.length === 0 ? mirrorByDigestOnly : mirrors.every(isDigestOnly);
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
  const [oldMirrors, mirrors] = [byLocation(old), byLocation(registry)];
  for (const location of oldMirrors.keys()) {
    if (!mirrors.has(location)) return `mirror ${location} has been removed in registry ${key}`;
  }
  for (const [location, mirror] of mirrors) {
    const { pullFromMirror } = mirror;
    const oldMirror = oldMirrors.get(location);
    if (isDigestOnly(mirror) || oldMirror?.pullFromMirror === pullFromMirror) continue;
    if (oldMirror !== undefined) {
      return `pull-from-mirror value for mirror ${location} in registry ${key} has changed from ${oldMirror.pullFromMirror} to ${pullFromMirror}`;
    }
    if (!registry.mirrorByDigestOnly) {
      // The space at the end is part of upstream's message.
      return `mirror ${location} has been added in registry ${key} that has pull-from-mirror set to ${pullFromMirror} `;
    }
  }
  return undefined;
}

function isDigestOnly({ pullFromMirror }: Mirror): boolean {
  return pullFromMirror === DIGEST_ONLY;
}

function byKey({ registries }: RegistriesConf): ReadonlyMap<string, Registry> {
  return new Map(registries.map((registry) => [registry.prefix || registry.location, registry]));
}

function byLocation({ mirrors }: Registry): ReadonlyMap<string, Mirror> {
  return new Map(mirrors.map((mirror) => [mirror.location, mirror]));
}

function listText(names: readonly string[]): string {
  return `[${names.join(' ')}]`;
}

/** More than the cluster can hold unpacked. */
const MAX_JUDGED_BYTES = 2 * 1024 ** 2;

/** A string is the reason why it is unknown: without the file in the config the OS's own is used. */
export function readRegistries({ ignition }: NodeConfig): RegistriesConf | string {
  const file = ignition.storage?.files?.find(({ path }) => path === REGISTRIES_CONF_PATH);
  if (file === undefined) return 'not part of the config';
  if (unpackedBytes(file.contents) > MAX_JUDGED_BYTES) return `more than ${MAX_JUDGED_BYTES} bytes`;
  const bytes = fileContents(file.contents);
  if (bytes.kind === 'invalid') return bytes.problems.map(({ message }) => message).join(', ');
  const conf = parseRegistriesConf(new TextDecoder().decode(bytes.value));
  return conf.kind === 'ok' ? conf.value : conf.problems.map(formatProblem).join(', ');
}
