/**
 * registries.conf, translated for containerd: one `hosts.toml` for each registry (containerd's `hosts.md`), and findings for what
 * these files cannot express. containerd reads them at every pull, so nothing has to be reloaded.
 *
 * A `hosts.toml` applies to a whole registry. It lists hosts, in order, with what each may be asked for: `resolve` turns a tag into a
 * digest, `pull` fetches by digest. The registry itself comes last; with `push` alone it is asked for neither, which blocks it.
 * `test/registry/containerd-hosts.oracle.test.ts` tries all of this with a real containerd.
 */
import { stringify } from 'smol-toml';
import { compareBytes, jsonEqual } from '../../base/json.ts';
import { quoted } from '../../base/text/index.ts';
import type { MirrorUse } from './mirror-sets.ts';
import type { Mirror, RegistriesConf, Registry } from './registries-conf.ts';
import { isWildcard, narrowest, restWithin } from './scope.ts';

/** Where containerd looks for `hosts.toml`, once its `config_path` names it. */
export const CONTAINERD_HOSTS_FOLDER = '/etc/containerd/certs.d';

type HostsToml = {
  /** Sorted by path. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly findings: readonly HostsFinding[];
};

/** What containerd does not do. */
export type HostsFinding = {
  /** The entry of registries.conf; empty where it is about the whole file. */
  readonly scope: string;
  /** Where it is about mirrors of one kind alone. */
  readonly use?: MirrorUse;
  /** A sentence that includes the consequence. */
  readonly message: string;
};

export function hostsToml({
  registries,
  search = [],
}: Pick<RegistriesConf, 'registries' | 'search'>): HostsToml {
  const entries = registries.map(readEntry);
  const findings: HostsFinding[] = [];
  const files: { path: string; text: string }[] = [];
  for (const entry of entries) {
    const problem = problemOf(entry, entries);
    if (problem !== undefined) findings.push({ scope: entry.scope, message: problem });
    if (problem !== undefined || !isRegistry(entry.scope)) continue;
    const text = fileText(entry);
    if (text !== '') files.push({ path: hostsTomlPath(entry.scope), text });
    findings.push(...tagOnlyFindings(entry));
  }
  if (search.some((name) => name !== 'docker.io')) findings.push({ scope: '', message: NO_SEARCH });
  return { files: files.sort((a, b) => compareBytes(a.path, b.path)), findings };
}

/** Whether containerd reads this file at every pull. */
export function isHostsToml(path: string): boolean {
  return path.startsWith(`${CONTAINERD_HOSTS_FOLDER}/`) && path.endsWith('/hosts.toml');
}

export function hostsTomlPath(registry: string): string {
  return `${CONTAINERD_HOSTS_FOLDER}/${registry}/hosts.toml`;
}

const NO_SEARCH =
  'containerd completes short image names with docker.io alone: unqualified-search-registries has no effect';

type Use = 'pull' | 'resolve' | 'push';

type Entry = {
  readonly scope: string;
  /** Where its images are, without mirrors. */
  readonly location: string;
  readonly isInsecure: boolean;
  readonly isBlocked: boolean;
  readonly mirrors: readonly EntryMirror[];
};

type EntryMirror = {
  readonly location: string;
  readonly isInsecure: boolean;
  readonly uses: readonly Use[];
  /** Whether only pulls by tag may use it, which containerd does not know. */
  readonly isTagOnly: boolean;
};

function readEntry(registry: Registry): Entry {
  const scope = registry.prefix || registry.location;
  const mirrors = new Map<string, EntryMirror>();
  for (const mirror of registry.mirrors) {
    const read = readMirror(mirror, registry);
    const known = mirrors.get(mirror.location);
    // A location is listed twice where it serves tags and digests: one table, as TOML has no second one of that name.
    mirrors.set(mirror.location, known === undefined ? read : { ...both(known, read) });
  }
  return {
    scope,
    location: registry.location || scope,
    isInsecure: registry.insecure,
    isBlocked: registry.blocked,
    mirrors: [...mirrors.values()],
  };
}

function readMirror(
  { location, insecure, pullFromMirror }: Mirror,
  { mirrorByDigestOnly }: Registry,
): EntryMirror {
  const isDigestOnly = pullFromMirror === 'digest-only' || (pullFromMirror === '' && mirrorByDigestOnly);
  return {
    location,
    isInsecure: insecure,
    uses: isDigestOnly ? ['pull'] : ['pull', 'resolve'],
    isTagOnly: pullFromMirror === 'tag-only',
  };
}

function both(one: EntryMirror, other: EntryMirror): EntryMirror {
  return {
    location: one.location,
    isInsecure: one.isInsecure || other.isInsecure,
    uses: one.uses.length > other.uses.length ? one.uses : other.uses,
    isTagOnly: one.isTagOnly && other.isTagOnly,
  };
}

/** Why the entry is not translated; undefined where it is, or where a wider one says the same. */
function problemOf(entry: Entry, entries: readonly Entry[]): string | undefined {
  const { scope } = entry;
  if (isWildcard(scope)) {
    return `containerd has no wildcards: ${quoted(scope)} is not applied. Name every registry that it stands for`;
  }
  const [host = ''] = scope.split('/', 1);
  if (!isRegistry(host)) return `${quoted(scope)} is not applied: ${quoted(host)} is no registry`;
  const wrong = [entry.location, ...entry.mirrors.map(({ location }) => location)].find(
    (location) => !LOCATION.test(location),
  );
  if (wrong !== undefined)
    return `${quoted(scope)} is not applied: ${quoted(wrong)} is no registry or repository`;
  if (isRegistry(scope) || isCovered(entry, entries)) return undefined;
  const registry = entries.some((one) => one.scope === host)
    ? `the settings of ${host} apply`
    : `no setting applies`;
  return `containerd has settings for whole registries only: ${quoted(scope)} is not applied, and ${registry} to its images. Name the registry ${host} instead`;
}

/** Readers use the narrowest entry alone, so what a wider one says is often repeated. */
function isCovered(entry: Entry, entries: readonly Entry[]): boolean {
  const others = entries.filter(({ scope }) => scope !== entry.scope && isRegistry(scope));
  const wider = narrowest(entry.scope, others);
  const plain: Omit<Entry, 'scope' | 'location'> = { isInsecure: false, isBlocked: false, mirrors: [] };
  const rest = wider === undefined ? '' : restWithin(entry.scope, wider.scope);
  const inherited = {
    location: wider === undefined ? entry.scope : `${wider.location}${rest}`,
    ...behaviourOf(wider ?? plain),
  };
  const mirrors = inherited.mirrors.map((mirror) => ({ ...mirror, location: `${mirror.location}${rest}` }));
  return jsonEqual({ location: entry.location, ...behaviourOf(entry) }, { ...inherited, mirrors });
}

function behaviourOf({ isInsecure, isBlocked, mirrors }: Omit<Entry, 'scope' | 'location'>) {
  return { isInsecure, isBlocked, mirrors };
}

function tagOnlyFindings({ scope, mirrors }: Entry): readonly HostsFinding[] {
  return mirrors
    .filter(({ isTagOnly }) => isTagOnly)
    .map(({ location }) => ({
      scope,
      use: 'tag-only',
      message: `containerd has no mirrors for tags only: it asks the mirror ${quoted(location)} of ${quoted(scope)} for pulls by digest as well`,
    }));
}

const HOST = String.raw`(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:]+\])(?::[0-9]{1,5})?`;
const REGISTRY = new RegExp(`^${HOST}$`);
const LOCATION = new RegExp(`^${HOST}(?:/[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)*$`);

function isRegistry(scope: string): boolean {
  return REGISTRY.test(scope);
}

/** Empty where containerd's own behaviour is meant. */
function fileText(entry: Entry): string {
  const { scope, mirrors } = entry;
  const hosts = mirrors.flatMap((mirror) =>
    addressesOf(mirror).map((address) => hostTable(address, mirror.uses)),
  );
  const { root, ahead } = ownAddresses(entry);
  if (root === undefined && hosts.length === 0) return '';
  const origin = `# ${scope}, from /etc/containers/registries.conf. Written by the machine config daemon.`;
  return `${[origin, ...(root ?? []), ...[...hosts, ...ahead].flat()].join('\n')}\n`;
}

type OwnAddresses = {
  /** Asked last. Without it containerd asks the registry by its name. */
  readonly root?: readonly string[];
  /**
   * Tables that lead to the registry itself, after its mirrors. There is one wherever there is a root: containerd 1.6 ignores files
   * without any table.
   */
  readonly ahead: readonly (readonly string[])[];
};

function ownAddresses({ scope, location, isInsecure, isBlocked }: Entry): OwnAddresses {
  const own = addressesOf({ location: isBlocked ? scope : location, isInsecure: isInsecure && !isBlocked });
  const [first, last] = [own[0], own.at(-1)];
  if (first === undefined || last === undefined) return { ahead: [] };
  if (isBlocked) return { root: rootLines(last, ['push']), ahead: [hostTable(first, ['push'])] };
  if (!isInsecure && location === scope) return { ahead: [] };
  return { root: rootLines(last), ahead: [hostTable(first, ['pull', 'resolve'])] };
}

function rootLines({ url, isPath }: Address, uses: readonly Use[] = []): readonly string[] {
  return [
    field('server', url),
    ...(uses.length === 0 ? [] : [field('capabilities', uses)]),
    ...(isPath ? [field('override_path', true)] : []),
  ];
}

type Address = { readonly url: string; readonly isPath: boolean; readonly skipsVerification: boolean };

/** `insecure` allows both protocols, in this order. */
function addressesOf({
  location,
  isInsecure,
}: Pick<EntryMirror, 'location' | 'isInsecure'>): readonly Address[] {
  const secure = { ...addressOf('https', location), skipsVerification: isInsecure };
  return isInsecure ? [secure, { ...addressOf('http', location), skipsVerification: false }] : [secure];
}

/** Of a repository the path follows the `/v2` of the API, and containerd must not add another one. */
function addressOf(
  protocol: 'http' | 'https',
  location: string,
): { readonly url: string; readonly isPath: boolean } {
  const slash = location.indexOf('/');
  if (slash < 0) return { url: `${protocol}://${location}`, isPath: false };
  return { url: `${protocol}://${location.slice(0, slash)}/v2${location.slice(slash)}`, isPath: true };
}

function hostTable({ url, isPath, skipsVerification }: Address, uses: readonly Use[]): readonly string[] {
  return [
    '',
    `[host.${valueText(url)}]`,
    `  ${field('capabilities', uses)}`,
    ...(skipsVerification ? [`  ${field('skip_verify', true)}`] : []),
    ...(isPath ? [`  ${field('override_path', true)}`] : []),
  ];
}

type Value = string | boolean | readonly string[];

function field(key: string, value: Value): string {
  return `${key} = ${valueText(value)}`;
}

/** Quoted by the TOML library. */
function valueText(value: Value): string {
  return stringify({ x: value }).trim().slice('x = '.length);
}
