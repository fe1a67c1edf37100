/**
 * The registries configuration of a pool's nodes, from the objects of the cluster to files in an Ignition config.
 *
 *     mirror sets, Image, image policies ──> readRegistries ──> Registries, with findings on objects
 *                                   Registries, base, current ──> registriesConfig ──> files
 *
 * The result depends on the content of the objects, never on their order. For sources with an invalid mirror set
 * nodes keep their present configuration, which is read from the current generated MachineConfig.
 */
import type { Image, MachineConfig } from '../../api/index.ts';
import { compareBytes, jsonEqual } from '../../base/json.ts';
import { base64DataUrl, emptyConfig, type IgnitionConfig } from '../ignition/index.ts';
import { type BaseFiles, configOf, fileText } from './base-files.ts';
import { type Finding, sortedFindings } from './finding.ts';
import { type ImagePolicies, type PolicyObjects, readImagePolicies } from './image-policies.ts';
import { type ImageSettings, readImageSettings } from './image-settings.ts';
import {
  type MirrorObjects,
  type MirrorSets,
  type MirrorUse,
  readMirrorSets,
  type SourceMirrors,
} from './mirror-sets.ts';
import {
  namespacePolicyPath,
  POLICY_PATH,
  REGISTRIES_CONF_PATH,
  SEARCH_REGISTRIES_PATH,
  SIGSTORE_REGISTRIES_PATH,
} from './paths.ts';
import { formatPolicy } from './policy-json.ts';
import { formatRegistriesConf, parseRegistriesConf } from './registries-conf.ts';
import {
  entryOf,
  type RegistryEntry,
  type RegistryMirror,
  registryEntries,
  registryOf,
} from './registry-entries.ts';
import { formatSigstoreRegistries } from './sigstore-registries.ts';
import { tooLarge } from './too-large.ts';

const NAME_PREFIX = '99-';
const NAME_SUFFIX = '-generated-registries';

/** The generated MachineConfig of a built-in pool. It has no other writer. */
export function registriesConfigName(pool: string): string {
  return `${NAME_PREFIX}${pool}${NAME_SUFFIX}`;
}

/** The name for any pool. */
export function isRegistriesConfigName(name: string): boolean {
  return name.startsWith(NAME_PREFIX) && name.endsWith(NAME_SUFFIX);
}

export type RegistryObjects = MirrorObjects &
  PolicyObjects & {
    /** The Image `cluster`. */
    readonly image?: Image;
    /** The release image, if known. */
    readonly payload?: string;
  };

export type Registries = {
  readonly mirrors: MirrorSets;
  readonly settings: ImageSettings;
  readonly policies: ImagePolicies;
  /** Whether the generated files fit into a MachineConfig. */
  readonly isWritable: boolean;
  /** In a stable order. */
  readonly findings: readonly Finding[];
};

export function readRegistries(objects: RegistryObjects): Registries {
  const mirrors = readMirrorSets(objects);
  const settings = readImageSettings(objects.image, mirrors.sources, objects.payload);
  const policies = readImagePolicies(objects, settings);
  const findings = [...mirrors.findings, ...settings.findings, ...policies.findings];
  const read = { mirrors, settings, policies, isWritable: true, findings: sortedFindings(findings) };
  const excess = tooLarge(objects, registriesConfig(read, { base: { search: [], policy: '' } }));
  if (excess === undefined) return read;
  return { ...read, isWritable: false, findings: sortedFindings([...findings, excess]) };
}

type PoolFiles = {
  readonly base: BaseFiles;
  /** The generated MachineConfig as it is in the cluster now. */
  readonly last?: MachineConfig | undefined;
};

/** Without files where nothing is configured: the base files are in effect then. */
export function registriesConfig(registries: Registries, { base, last }: PoolFiles): IgnitionConfig {
  const before = configOf(last?.spec?.config);
  const { mirrors, settings, isWritable } = registries;
  if (!settings.isUsable || !isWritable) return before ?? emptyConfig;
  const sources = withHeld(mirrors, before);
  const entries = registryEntries({ ...settings, sources });
  const isHeld = mirrors.held.size > 0 && fileText(before, REGISTRIES_CONF_PATH) !== undefined;
  const files = [
    ...(isHeld || needsRegistriesConf(registries)
      ? [
          [
            REGISTRIES_CONF_PATH,
            formatRegistriesConf({ search: base.search, registries: entries.map(registryOf) }),
          ] as const,
        ]
      : []),
    ...policyFiles(registries, base, entries),
    ...searchFile(settings),
  ].map(([path, text]) => ({
    path,
    overwrite: true,
    contents: { source: base64DataUrl('text/plain;charset=utf-8', text), compression: '' },
    mode: 0o644,
  }));
  return files.length === 0 ? emptyConfig : { ...emptyConfig, storage: { files } };
}

type TextFile = readonly [path: string, text: string];

function needsRegistriesConf({ mirrors, settings }: Registries): boolean {
  return mirrors.isAnyUsable || settings.hasInsecure || settings.blocked.length > 0;
}

function policyFiles(
  { settings, policies: { cluster, namespaces } }: Registries,
  { policy }: BaseFiles,
  entries: readonly RegistryEntry[],
): readonly TextFile[] {
  const scopes = new Set([
    ...cluster.keys(),
    ...[...namespaces.values()].flatMap((demands) => [...demands.keys()]),
  ]);
  const isLimited = settings.allowed.length > 0 || settings.rejected.length > 0;
  if (!isLimited && scopes.size === 0) return [];
  return [
    [POLICY_PATH, formatPolicy(policy, settings, cluster)],
    ...(scopes.size === 0
      ? []
      : [[SIGSTORE_REGISTRIES_PATH, formatSigstoreRegistries(scopes, entries)] as const]),
    ...[...namespaces].map(([namespace, demands]) => {
      const text = formatPolicy(policy, settings, new Map([...cluster, ...demands]));
      return [namespacePolicyPath(namespace), text] as const;
    }),
  ];
}

function searchFile({ search }: ImageSettings): readonly TextFile[] {
  return search.length === 0
    ? []
    : [[SEARCH_REGISTRIES_PATH, formatRegistriesConf({ search, registries: [] })]];
}

/** Includes held sources as the nodes have them. */
function withHeld(
  { sources, held }: MirrorSets,
  before: IgnitionConfig | undefined,
): readonly SourceMirrors[] {
  if (held.size === 0) return sources;
  const conf = parseRegistriesConf(fileText(before, REGISTRIES_CONF_PATH) ?? '');
  const registries = conf.kind === 'ok' ? conf.value.registries : [];
  const known = registries.map(entryOf).filter(({ scope }) => held.has(scope));
  let all = sources;
  // From wide to narrow: what an entry inherited from a wider scope is derived again, not copied.
  for (const entry of known.sort((a, b) => a.scope.length - b.scope.length)) {
    if (!hasFromAround(entry, all)) all = [...all, ...sourcesOf(entry)];
  }
  return [...all].sort(byUseAndSource);
}

function hasFromAround({ scope, mirrors }: RegistryEntry, sources: readonly SourceMirrors[]): boolean {
  const entries = registryEntries({ sources, blocked: [scope], insecure: [] });
  const around = entries.find((entry) => entry.scope === scope)?.mirrors ?? [];
  const textOf = ({ location, use }: RegistryMirror) => `${use} ${location}`;
  return jsonEqual(around.map(textOf), mirrors.map(textOf));
}

function sourcesOf({ scope: source, mirrors, isBlocked }: RegistryEntry): readonly SourceMirrors[] {
  const uses: readonly MirrorUse[] = ['digest-only', 'tag-only'];
  return uses.flatMap((use) => {
    const own = mirrors.filter((mirror) => mirror.use === use).map(({ location }) => location);
    return own.length === 0 ? [] : [{ source, use, mirrors: own, isNeverContacted: isBlocked }];
  });
}

function byUseAndSource(a: SourceMirrors, b: SourceMirrors): number {
  return compareBytes(a.use, b.use) || compareBytes(a.source, b.source);
}
