/**
 * What a power cut left beside files that were being written. Every write can leave one such file; all that a daemon ever
 * writes is known, or lies in folders that are known.
 */

import { FORCE_FILE } from '../../api/index.ts';
import {
  CLOUD_CA,
  INTERNAL_PULL_SECRET,
  KUBELET_CA,
  type NodeConfig,
  sshKeysFile,
  unitPath,
} from '../plan/index.ts';
import type { Work } from './context.ts';
import type { Memory, Observation } from './observe.ts';
import { sweepAfterJournal } from './open-journal.ts';
import {
  CURRENT_CONFIG,
  CURRENT_IMAGE,
  ENCAPSULATED_CONFIG,
  FIRST_ANNOTATIONS,
  FIRST_ANNOTATIONS_DONE,
  inTheWayPath,
  JOURNAL,
  JOURNAL_FROM,
  JOURNAL_TO,
  noOriginalPath,
  originalPath,
} from './state-paths.ts';
import { pathsOf } from './step-files.ts';

export async function removeLeftovers(
  { host }: Work,
  memory: Memory,
  { config, disk }: Observation,
): Promise<void> {
  const { journal } = disk;
  const configs = config === undefined ? [] : [config];
  if (journal === undefined) await sweepAfterJournal(host);
  else {
    configs.push(await memory.configs.from(host, journal.from.image));
    configs.push(await memory.configs.to(host, journal.to.image));
  }
  const paths = [...OWN, ...configs.flatMap(writtenPaths), ...(await unitLinks(host))];
  // A config may itself name what looks like a leftover. In any folder, as links may make two paths one.
  const spared = new Set(configs.flatMap(pathsOf).map((path) => LEFT_BEHIND.exec(nameOf(path))?.[1]));
  await host.files.removeLeftovers([...new Set(paths)].filter((path) => !spared.has(nameOf(path))));
}

const OWN: readonly string[] = [
  ...[CURRENT_CONFIG, CURRENT_IMAGE, JOURNAL, JOURNAL_FROM, JOURNAL_TO, FORCE_FILE],
  ...[FIRST_ANNOTATIONS, FIRST_ANNOTATIONS_DONE, `${ENCAPSULATED_CONFIG}.bak`],
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
    ...[...pathsOf(config), ...units].flatMap((path) => [
      ...[path, originalPath(path), noOriginalPath(path), inTheWayPath(path)],
    ]),
    ...[keys.path, ...keys.folders.map(({ path }) => path)],
  ];
}

const UNITS = '/etc/systemd/system';
/** The name that was being written, and digits behind it. */
const LEFT_BEHIND = /^\.(.+)\d{10}$/;

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Links by which units are enabled bear names that only systemd knows; but they lie in its folders. */
async function unitLinks({ files }: Work['host']): Promise<readonly string[]> {
  const paths: string[] = [];
  const names = (await files.list(UNITS)) ?? [];
  const folders = names
    .filter((name) => /\.(wants|requires|upholds)$/.test(name))
    .map((name) => `${UNITS}/${name}`);
  for (const folder of [UNITS, ...folders]) {
    for (const name of (await files.list(folder)) ?? []) {
      const written = LEFT_BEHIND.exec(name)?.[1];
      if (written !== undefined) paths.push(`${folder}/${written}`);
    }
  }
  return paths;
}
