/**
 * The registries configuration of a machine: `registries.conf` and its drop-ins, checked and merged by the rules of
 * containers-registries.conf(5).
 *
 * An invalid file invalidates the whole configuration, with the messages of container tools: otherwise images would be pulled
 * from another place than configured.
 */
import { Failure, formatProblem, invalid, type Outcome, ok } from '../base/errors.ts';
import { compareBytes } from '../base/json.ts';
import {
  type Mirror,
  parseRegistriesConf,
  REGISTRIES_CONF_PATH,
  type RegistriesConf,
  type Registry,
} from '../config/registries/index.ts';
import { isHost } from './names.ts';

export type MergedRegistriesConf = {
  /**
   * Sorted by prefix, which is unique and never empty. An empty location leaves names unchanged. `pullFromMirror` of a mirror
   * is `all`, `digest-only` or `tag-only`.
   */
  readonly registries: readonly Registry[];
  /** Where short names are searched for, in order. */
  readonly search: readonly string[];
  /** The file that sets `search`; empty where there is none. */
  readonly searchFrom: string;
  readonly aliases: RegistriesConf['aliases'];
};

export type ConfFile = { readonly path: string; readonly text: string };

export const NO_REGISTRIES_CONF: MergedRegistriesConf = {
  registries: [],
  search: [],
  searchFrom: '',
  aliases: new Map(),
};

export const REGISTRIES_DROP_INS = `${REGISTRIES_CONF_PATH}.d`;

/** The files of a machine, as far as they are needed here. */
interface ConfReader {
  read(path: string, maxBytes?: number): Promise<Uint8Array | undefined>;
  list(path: string): Promise<readonly string[] | undefined>;
}

const MAX_CONF_BYTES = 1024 ** 2;
const MAX_DROP_INS = 1_000;

/** Throws a `Failure` where a file is invalid. */
export async function readRegistriesConf(files: ConfReader): Promise<MergedRegistriesConf> {
  const names = (await files.list(REGISTRIES_DROP_INS)) ?? [];
  const dropIns = names.filter((name) => name.endsWith('.conf')).toSorted(compareBytes);
  if (dropIns.length > MAX_DROP_INS) throw unusable(`more than ${MAX_DROP_INS} files`);
  const read: ConfFile[] = [];
  for (const path of [REGISTRIES_CONF_PATH, ...dropIns.map((name) => `${REGISTRIES_DROP_INS}/${name}`)]) {
    const bytes = await files.read(path, MAX_CONF_BYTES);
    if (bytes !== undefined) read.push({ path, text: new TextDecoder().decode(bytes) });
  }
  const conf = mergeRegistriesConf(read);
  if (conf.kind === 'ok') return conf.value;
  throw unusable(conf.problems.map(formatProblem).join('; '));
}

/** Later files override earlier ones: registry by registry, and the search list as a whole. */
export function mergeRegistriesConf(files: readonly ConfFile[]): Outcome<MergedRegistriesConf> {
  let conf = NO_REGISTRIES_CONF;
  for (const file of files) {
    const parsed = parseRegistriesConf(file.text);
    const checked = parsed.kind === 'ok' ? checkFile(parsed.value, file.path) : parsed;
    if (checked.kind === 'invalid') {
      const what = file.path === REGISTRIES_CONF_PATH ? 'registries' : 'drop-in registries';
      const why = checked.problems.map(formatProblem).join('; ');
      return invalid([{ path: '', message: `loading ${what} configuration "${file.path}": ${why}` }]);
    }
    conf = merged(conf, checked.value);
  }
  return ok(conf);
}

type CheckedFile = Omit<MergedRegistriesConf, 'search'> & { readonly search: readonly string[] | undefined };

function merged(conf: MergedRegistriesConf, file: CheckedFile): MergedRegistriesConf {
  const byPrefix = new Map([...conf.registries, ...file.registries].map((entry) => [entry.prefix, entry]));
  const aliases = new Map([...conf.aliases, ...file.aliases]);
  // An empty alias removes the one of an earlier file.
  for (const [name, target] of aliases) if (target === '') aliases.delete(name);
  const isSet = file.search !== undefined || conf.searchFrom === '';
  return {
    registries: [...byPrefix.values()].toSorted((a, b) => compareBytes(a.prefix, b.prefix)),
    search: file.search ?? conf.search,
    searchFrom: isSet ? file.searchFrom : conf.searchFrom,
    aliases,
  };
}

function checkFile(conf: RegistriesConf, path: string): Outcome<CheckedFile> {
  const { registries, search, aliases, isFirstVersion } = conf;
  if (isFirstVersion) return rejected('registry must be in v2 format but is in v1');
  const entries = registries.map(normalized);
  const hosts = search?.map(withoutSlashes);
  const problem =
    registries.map(registryProblem).find((one) => one !== undefined) ??
    conflict(entries) ??
    hosts?.filter((host) => !isHost(host)).map(searchProblem)[0];
  if (problem !== undefined) return rejected(problem);
  // Within one file the first of two entries with the same prefix counts.
  const unique = entries.filter(
    ({ prefix }, index) => entries.findIndex((one) => one.prefix === prefix) === index,
  );
  return ok({ registries: unique, search: hosts, searchFrom: path, aliases });
}

function normalized(registry: Registry): Registry {
  const location = withoutSlashes(registry.location);
  return {
    ...registry,
    prefix: withoutSlashes(registry.prefix) || location,
    location,
    mirrors: registry.mirrors.map((mirror) => ({
      ...mirror,
      location: withoutSlashes(mirror.location),
      pullFromMirror: registry.mirrorByDigestOnly ? 'digest-only' : mirror.pullFromMirror || 'all',
    })),
  };
}

function registryProblem(registry: Registry): string | undefined {
  const { prefix, location } = normalized(registry);
  if (prefix === '') return 'invalid condition: both location and prefix are unset';
  const isWild = prefix.startsWith('*.');
  if (!isWild && location === '') {
    return 'invalid condition: location is unset and prefix is not in the format: *.example.com';
  }
  if (isWild && /[/@:]/.test(prefix)) {
    return `Wildcarded prefix should be in the format: *.example.com. Current prefix "${prefix}" is incorrectly formatted`;
  }
  if (registry.pullFromMirror !== '') {
    return `pull-from-mirror must not be set for a non-mirror registry "${prefix}"`;
  }
  return (
    [registry.prefix, registry.location].map(schemeProblem).find((one) => one !== undefined) ??
    registry.mirrors.map((mirror) => mirrorProblem(mirror, registry)).find((one) => one !== undefined)
  );
}

function mirrorProblem(mirror: Mirror, registry: Registry): string | undefined {
  const { location, pullFromMirror } = mirror;
  if (withoutSlashes(location) === '') return 'invalid condition: mirror location is unset';
  if (registry.mirrorByDigestOnly && pullFromMirror !== '') {
    const { prefix } = normalized(registry);
    return `cannot set mirror usage mirror-by-digest-only for the registry ("${prefix}") and pull-from-mirror for per-mirror ("${location}") at the same time`;
  }
  if (!['', 'all', 'digest-only', 'tag-only'].includes(pullFromMirror)) {
    return `unsupported pull-from-mirror value "${pullFromMirror}" for mirror "${location}"`;
  }
  return schemeProblem(location);
}

function schemeProblem(location: string): string | undefined {
  return /^https?:\/\//.test(location)
    ? `invalid location '${location}': URI schemes are not supported`
    : undefined;
}

/** One location may serve several prefixes, with the same settings for all of them. */
function conflict(registries: readonly Registry[]): string | undefined {
  const first = new Map<string, Registry>();
  for (const registry of registries) {
    const location = registry.location || registry.prefix;
    const other = first.get(location) ?? registry;
    first.set(location, other);
    const setting = (['insecure', 'blocked'] as const).find((field) => other[field] !== registry[field]);
    if (setting !== undefined) {
      return `registry '${registry.location}' is defined multiple times with conflicting '${setting}' setting`;
    }
  }
  return undefined;
}

function searchProblem(host: string): string {
  return `Invalid unqualified-search-registries entry "${host}"`;
}

function withoutSlashes(text: string): string {
  return text.replace(/\/+$/, '');
}

function rejected(message: string): Outcome<never> {
  return invalid([{ path: '', message }]);
}

function unusable(why: string): Failure {
  return new Failure('stalled', 'BadRegistriesConf', why);
}
