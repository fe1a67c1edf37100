/**
 * Removes the temporary files that a power cut leaves beside files that were being written. Every path that a daemon writes
 * is known, or is in a known folder.
 */

import { FORCE_FILE } from '../../api/index.ts';
import { DROP_IN_PATH } from '../pinned/index.ts';
import {
  CLOUD_CA,
  INTERNAL_PULL_SECRET,
  KUBELET_CA,
  type NodeConfig,
  pathsOf,
  REGISTRY_CERTIFICATES,
  registryCaPath,
  sshKeysFile,
  unitPath,
} from '../plan/index.ts';
import type { HostContext } from './context.ts';
import type { Memory, Observation } from './observe.ts';
import { removeJournalFiles } from './open-journal.ts';
import {
  backupPath,
  CURRENT_CONFIG,
  CURRENT_IMAGE,
  ENCAPSULATED_CONFIG,
  FETCHED_IMAGE,
  INITIAL_ANNOTATIONS,
  INITIAL_ANNOTATIONS_DONE,
  JOURNAL,
  JOURNAL_FROM,
  JOURNAL_TO,
  noOriginalPath,
  originalPath,
  PINNED_IMAGES,
  RETRIED,
} from './state-paths.ts';

export async function removeTemporaryFiles(
  { host }: HostContext,
  memory: Memory,
  { config, disk }: Observation,
): Promise<void> {
  const { journal } = disk;
  const configs = config === undefined ? [] : [config];
  if (journal === undefined) await removeJournalFiles(host);
  else {
    configs.push(await memory.configs.from(host, journal.from.image));
    configs.push(await memory.configs.to(host, journal.to.image));
  }
  const paths = [
    ...OWN,
    ...withCopies(DROP_IN_PATH),
    ...configs.flatMap(writtenPaths),
    ...(await unitLinks(host)),
    ...(await registryFiles(host)),
  ];
  // A config may contain a file that is named like a temporary one. Names are compared in any folder, as links may make two
  // paths one.
  const spared = new Set(configs.flatMap(pathsOf).map((path) => TEMPORARY_NAME.exec(nameOf(path))?.[1]));
  await host.files.removeTemporaryFiles([...new Set(paths)].filter((path) => !spared.has(nameOf(path))));
}

const OWN: readonly string[] = [
  CURRENT_CONFIG,
  CURRENT_IMAGE,
  FETCHED_IMAGE,
  PINNED_IMAGES,
  RETRIED,
  JOURNAL,
  JOURNAL_FROM,
  JOURNAL_TO,
  FORCE_FILE,
  INITIAL_ANNOTATIONS,
  INITIAL_ANNOTATIONS_DONE,
  `${ENCAPSULATED_CONFIG}.bak`,
  ...[
    KUBELET_CA,
    CLOUD_CA,
    INTERNAL_PULL_SECRET,
    '/etc/shadow',
    '/run/ostree/auth.json',
    '/etc/ostree/auth.json',
  ],
];

function writtenPaths(config: NodeConfig): readonly string[] {
  const units = (config.ignition.systemd?.units ?? []).map(({ name }) => unitPath(name));
  const keys = sshKeysFile(config);
  return [
    ...[...pathsOf(config), ...units].flatMap(withCopies),
    ...withCopies(keys.path),
    ...keys.folders.map(({ path }) => path),
  ];
}

function withCopies(path: string): readonly string[] {
  return [path, originalPath(path), noOriginalPath(path), backupPath(path)];
}

/** The CAs of registries, which are synced from the ControllerConfig. */
async function registryFiles({ files }: HostContext['host']): Promise<readonly string[]> {
  const registries = (await files.list(REGISTRY_CERTIFICATES)) ?? [];
  return registries.flatMap((registry) => withCopies(registryCaPath(registry)));
}

const UNITS = '/etc/systemd/system';
/** The name that was being written, followed by digits. */
const TEMPORARY_NAME = /^\.(.+)\d{10}$/;

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The names of links that enable units are systemd's, but their folders are known. */
async function unitLinks({ files }: HostContext['host']): Promise<readonly string[]> {
  const paths: string[] = [];
  const names = (await files.list(UNITS)) ?? [];
  const folders = names
    .filter((name) => /\.(wants|requires|upholds)$/.test(name))
    .map((name) => `${UNITS}/${name}`);
  for (const folder of [UNITS, ...folders]) {
    for (const name of (await files.list(folder)) ?? []) {
      const written = TEMPORARY_NAME.exec(name)?.[1];
      if (written !== undefined) paths.push(`${folder}/${written}`);
    }
  }
  return paths;
}
