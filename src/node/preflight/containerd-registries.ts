/**
 * The registries of a node that runs containerd: its `hosts.toml` files have no effect unless `config_path` of containerd names their
 * folder, so that pulls would not use the mirrors that the config promises. And what of the config containerd does not do at all.
 */
import { parse } from 'smol-toml';
import { isObject } from '../../base/json.ts';
import { valueAt } from '../../base/json-fields.ts';
import {
  CONTAINERD,
  CONTAINERD_HOSTS_FOLDER,
  isHostsToml,
  REGISTRIES_CONF_PATH,
} from '../../config/registries/index.ts';
import { runtimeFindings } from '../plan/index.ts';
import {
  type Check,
  type Finding,
  type PreflightChange,
  type PreflightSnapshot,
  refusal,
  warning,
} from './check.ts';
import { configText, writtenPaths } from './written-texts.ts';

const CONFIG = '/etc/containerd/config.toml';
/** Where distributions import from. */
const IMPORTED = ['/etc/containerd/conf.d/', '/etc/containerd/config.d/'];

/** k3s and RKE2 run a containerd of their own, with a config that they generate at every start. */
const GENERATED = ['k3s', 'rke2'].map((name) => ({
  name,
  path: `/var/lib/rancher/${name}/agent/etc/containerd/config.toml`,
}));

export const containerdRegistries: Check = {
  name: 'containerd-registries',
  needs: (change) =>
    writesHosts(change) ? { files: [CONFIG, ...GENERATED.map(({ path }) => path)], folders: IMPORTED } : {},
  run: (snapshot) =>
    snapshot.node.runtime === CONTAINERD ? [...pathFindings(snapshot), ...ignoredFindings(snapshot)] : [],
};

function writesHosts(change: PreflightChange): boolean {
  return writtenPaths(change).some(isHostsToml);
}

function pathFindings(snapshot: PreflightSnapshot): readonly Finding[] {
  if (!writesHosts(snapshot)) return [];
  const files = new Map(snapshot.node.files);
  // The config may bring it along.
  const own = configText(snapshot.to, CONFIG);
  if (own !== undefined) files.set(CONFIG, own);
  const generated = GENERATED.find(({ path }) => files.has(path));
  const path = generated?.path ?? CONFIG;
  const found = readConfigPath(files, path);
  if (found.paths.split(':').includes(CONTAINERD_HOSTS_FOLDER)) return [];
  if (found.paths === '' && generated === undefined && hasDefaultPath(snapshot)) return [];
  const said = found.paths === '' ? 'there is no config_path' : `config_path is ${found.paths}`;
  const why = `${said}, so containerd would not read ${CONTAINERD_HOSTS_FOLDER} and not use the mirrors of registries.conf`;
  const remedy =
    generated === undefined
      ? `add ${lineFor(found.version)} and restart containerd`
      : `${generated.name} generates this file: add ${lineFor(found.version)} to its template (config.toml.tmpl or config-v3.toml.tmpl beside it) and restart ${generated.name}`;
  return [found.isCertain ? refusal(path, { why, remedy }) : warning(path, { why, remedy })];
}

/** From version 2.2 on containerd reads the folder unless it is told otherwise. */
function hasDefaultPath({ node }: PreflightSnapshot): boolean {
  const [major = 0, minor = 0] = (node.runtimeVersion ?? '').split('.').map(Number);
  return major > 2 || (major === 2 && minor >= 2);
}

/** The table of the plugin that pulls images, by the version of the file. */
const TABLES: Readonly<Record<number, readonly string[]>> = {
  1: ['cri'],
  2: ['io.containerd.grpc.v1.cri'],
  3: ['io.containerd.cri.v1.images'],
};

function lineFor(version: number): string {
  const [table = ''] = TABLES[version] ?? [];
  return `[plugins."${table}".registry] config_path = "${CONTAINERD_HOSTS_FOLDER}"`;
}

type ConfigPath = {
  /** Folders, separated by colons; empty where there is none. */
  readonly paths: string;
  readonly version: number;
  /** Whether all files that could say it were read. */
  readonly isCertain: boolean;
};

/** Files that are imported replace what the file itself says. */
function readConfigPath(files: ReadonlyMap<string, string>, path: string): ConfigPath {
  const main = parsed(files.get(path) ?? '');
  if (main === undefined) return { paths: '', version: 2, isCertain: false };
  const imports = valueAt(main, 'imports');
  const patterns = Array.isArray(imports) ? imports.map(String) : [];
  const isRead = (pattern: string) =>
    IMPORTED.some((folder) => pattern.startsWith(folder) && !pattern.slice(folder.length).includes('/'));
  const imported = [...files]
    .filter(([name]) => patterns.length > 0 && IMPORTED.some((folder) => name.startsWith(folder)))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, text]) => parsed(text));
  const values = [main, ...imported].flatMap((one) => pathIn(one) ?? []);
  return {
    paths: values.at(-1) ?? '',
    // A machine without the file gets one of the present version.
    version: files.has(path) ? versionOf(main) : 2,
    isCertain: patterns.every(isRead) && imported.every((one) => one !== undefined),
  };
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function versionOf(config: object): number {
  const version = valueAt(config, 'version');
  return typeof version === 'number' && version in TABLES ? version : 1;
}

/** containerd takes the names of older versions as well. */
function pathIn(config: object | undefined): string | undefined {
  if (config === undefined) return undefined;
  for (const table of Object.values(TABLES).flat()) {
    const value = valueAt(config, 'plugins', table, 'registry', 'config_path');
    if (typeof value === 'string') return value;
  }
  return undefined;
}

/** Files of other programs: of CRI-O and of containers/image. */
const OF_OTHERS = ['/etc/crio/', '/etc/containers/policy.json', '/etc/containers/registries.d/'] as const;

function ignoredFindings(snapshot: PreflightSnapshot): readonly Finding[] {
  const written = writtenPaths(snapshot);
  const ignored = written.filter((path) => OF_OTHERS.some((start) => path.startsWith(start)));
  const why = 'containerd does not read it, so it has no effect on this node';
  return [
    ...(written.includes(REGISTRIES_CONF_PATH)
      ? runtimeFindings(snapshot.to, CONTAINERD).map(({ message }) =>
          warning(REGISTRIES_CONF_PATH, { why: message }),
        )
      : []),
    ...ignored.map((path) => warning(path, { why })),
  ];
}
