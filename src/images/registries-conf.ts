/**
 * What a machine says of registries: `registries.conf` and what is dropped in beside it, as containers-registries.conf(5)
 * has it.
 *
 * A file that is wrong is refused as a whole, with the words that people know: whoever pulls would pull from elsewhere than
 * they were told.
 */
import { Failure, formatProblem, invalid, type Outcome, ok } from '../base/errors.ts';
import { compareBytes } from '../base/json.ts';
import {
  parseRegistriesToml,
  REGISTRIES_CONF,
  type WrittenMirror,
  type WrittenRegistries,
  type WrittenRegistry,
} from '../config/registries/index.ts';
import { isHost } from './names.ts';

export type MirrorEntry = {
  readonly location: string;
  readonly isInsecure: boolean;
  readonly pulls: 'all' | 'digest-only' | 'tag-only';
};

export type RegistryEntry = {
  /** Of names: `docker.io`, `quay.io/team`, `*.example.com`. */
  readonly prefix: string;
  /** What stands there instead of the prefix; empty where names stay as they are. */
  readonly location: string;
  readonly isInsecure: boolean;
  readonly isBlocked: boolean;
  readonly mirrors: readonly MirrorEntry[];
};

export type RegistriesConf = {
  /** No two with the same prefix, sorted by it. */
  readonly registries: readonly RegistryEntry[];
  /** Where short names are looked for, in order. */
  readonly search: readonly string[];
  /** The file that says so; empty where there is none. */
  readonly searchFrom: string;
  /** What short names stand for. */
  readonly aliases: ReadonlyMap<string, string>;
};

export type ConfFile = { readonly path: string; readonly text: string };

export const NO_REGISTRIES_CONF: RegistriesConf = {
  ...{ registries: [], search: [], searchFrom: '', aliases: new Map() },
};

export const REGISTRIES_DROP_INS = `${REGISTRIES_CONF}.d`;

/** The files of a machine, in part. */
interface ConfReader {
  read(path: string, maxBytes?: number): Promise<Uint8Array | undefined>;
  list(path: string): Promise<readonly string[] | undefined>;
}

/** Nobody writes that much. */
const MAX_CONF_BYTES = 1024 ** 2;
const MAX_DROP_INS = 1_000;

/** Throws a `Failure` where a file cannot be used. */
export async function readRegistriesConf(files: ConfReader): Promise<RegistriesConf> {
  const names = (await files.list(REGISTRIES_DROP_INS)) ?? [];
  const dropIns = names.filter((name) => name.endsWith('.conf')).toSorted(compareBytes);
  if (dropIns.length > MAX_DROP_INS) throw unusable(`more than ${MAX_DROP_INS} files`);
  const read: ConfFile[] = [];
  for (const path of [REGISTRIES_CONF, ...dropIns.map((name) => `${REGISTRIES_DROP_INS}/${name}`)]) {
    const bytes = await files.read(path, MAX_CONF_BYTES);
    if (bytes !== undefined) read.push({ path, text: new TextDecoder().decode(bytes) });
  }
  const conf = mergeRegistriesConf(read);
  if (conf.kind === 'ok') return conf.value;
  throw unusable(conf.problems.map(formatProblem).join('; '));
}

/** Of several files the later ones win: registry by registry, and the search list as a whole. */
export function mergeRegistriesConf(files: readonly ConfFile[]): Outcome<RegistriesConf> {
  let conf = NO_REGISTRIES_CONF;
  for (const file of files) {
    const written = parseRegistriesToml(file.text);
    const checked = written.kind === 'ok' ? checkFile(written.value, file.path) : written;
    if (checked.kind === 'invalid') {
      const what = file.path === REGISTRIES_CONF ? 'registries' : 'drop-in registries';
      const why = checked.problems.map(formatProblem).join('; ');
      return invalid([{ path: '', message: `loading ${what} configuration "${file.path}": ${why}` }]);
    }
    conf = merged(conf, checked.value);
  }
  return ok(conf);
}

type CheckedFile = Omit<RegistriesConf, 'search'> & { readonly search: readonly string[] | undefined };

function merged(conf: RegistriesConf, file: CheckedFile): RegistriesConf {
  const byPrefix = new Map([...conf.registries, ...file.registries].map((entry) => [entry.prefix, entry]));
  const aliases = new Map([...conf.aliases, ...file.aliases]);
  // An alias for nothing takes back what an earlier file said.
  for (const [name, target] of aliases) if (target === '') aliases.delete(name);
  const isSaid = file.search !== undefined || conf.searchFrom === '';
  return {
    registries: [...byPrefix.values()].toSorted((a, b) => compareBytes(a.prefix, b.prefix)),
    search: file.search ?? conf.search,
    searchFrom: isSaid ? file.searchFrom : conf.searchFrom,
    aliases,
  };
}

function checkFile(written: WrittenRegistries, path: string): Outcome<CheckedFile> {
  const { registries, search, aliases, isFirstVersion } = written;
  if (isFirstVersion) return refused('registry must be in v2 format but is in v1');
  const entries = registries.map(asEntry);
  const hosts = search?.map(withoutSlashes);
  const problem =
    registries.map(registryProblem).find((one) => one !== undefined) ??
    conflict(entries) ??
    hosts?.filter((host) => !isHost(host)).map(searchProblem)[0];
  if (problem !== undefined) return refused(problem);
  // Of two with the same prefix in one file the first counts.
  const unique = entries.filter(
    ({ prefix }, index) => entries.findIndex((one) => one.prefix === prefix) === index,
  );
  return ok({ registries: unique, search: hosts, searchFrom: path, aliases });
}

function asEntry(written: WrittenRegistry): RegistryEntry {
  const location = withoutSlashes(written.location);
  return {
    prefix: withoutSlashes(written.prefix) || location,
    location,
    isInsecure: written.insecure,
    isBlocked: written.blocked,
    mirrors: written.mirrors.map((mirror) => ({
      location: withoutSlashes(mirror.location),
      isInsecure: mirror.insecure,
      pulls: written.mirrorByDigestOnly ? 'digest-only' : pullsOf(mirror),
    })),
  };
}

function pullsOf({ pullFromMirror }: WrittenMirror): MirrorEntry['pulls'] {
  return pullFromMirror === 'digest-only' || pullFromMirror === 'tag-only' ? pullFromMirror : 'all';
}

function registryProblem(written: WrittenRegistry): string | undefined {
  const { prefix, location } = asEntry(written);
  if (prefix === '') return 'invalid condition: both location and prefix are unset';
  const isWild = prefix.startsWith('*.');
  if (!isWild && location === '') {
    return 'invalid condition: location is unset and prefix is not in the format: *.example.com';
  }
  if (isWild && /[/@:]/.test(prefix)) {
    return `Wildcarded prefix should be in the format: *.example.com. Current prefix "${prefix}" is incorrectly formatted`;
  }
  if (written.pullFromMirror !== '') {
    return `pull-from-mirror must not be set for a non-mirror registry "${prefix}"`;
  }
  return (
    [written.prefix, written.location].map(schemeProblem).find((one) => one !== undefined) ??
    written.mirrors.map((mirror) => mirrorProblem(mirror, written)).find((one) => one !== undefined)
  );
}

function mirrorProblem(mirror: WrittenMirror, written: WrittenRegistry): string | undefined {
  const { location, pullFromMirror } = mirror;
  if (withoutSlashes(location) === '') return 'invalid condition: mirror location is unset';
  if (written.mirrorByDigestOnly && pullFromMirror !== '') {
    const { prefix } = asEntry(written);
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

/** One place may answer for several prefixes, but it is the same place for all of them. */
function conflict(entries: readonly RegistryEntry[]): string | undefined {
  const seen = new Map<string, RegistryEntry>();
  for (const entry of entries) {
    const place = entry.location || entry.prefix;
    const other = seen.get(place) ?? entry;
    seen.set(place, other);
    const setting =
      other.isInsecure !== entry.isInsecure
        ? 'insecure'
        : other.isBlocked !== entry.isBlocked
          ? 'blocked'
          : undefined;
    if (setting !== undefined) {
      return `registry '${entry.location}' is defined multiple times with conflicting '${setting}' setting`;
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

function refused(message: string): Outcome<never> {
  return invalid([{ path: '', message }]);
}

function unusable(why: string): Failure {
  return new Failure('stalled', 'BadRegistriesConf', why);
}
