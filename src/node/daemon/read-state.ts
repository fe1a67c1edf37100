/**
 * Reads what the daemon keeps on the disk, and notices what of it is damaged: truncated, not what it should be, or a folder in its
 * place. State files are replaced atomically, so something else has changed them.
 *
 * What follows from damage is decided in `decide-repair.ts`.
 */
import { annotations } from '../../api/index.ts';
import { Failure } from '../../base/errors.ts';
import { isObject, parseJson } from '../../base/json.ts';
import type { Host } from '../host/index.ts';
import type { NodeConfig } from '../plan/index.ts';
import { type Journal, readJournal, storedDuring } from './journal.ts';
import {
  CURRENT_CONFIG,
  DAEMON_FOLDER,
  damagedPath,
  damagedState,
  INITIAL_ANNOTATIONS,
  JOURNAL_FROM,
  JOURNAL_TO,
  STATE_DAMAGED,
} from './state-paths.ts';
import type { ConfigReader } from './stored-config.ts';

/** Why each of them cannot be read. Absent where it can, or is not there. */
export type StateDamage = {
  /** The folder of all state. */
  readonly folder?: string;
  readonly journal?: string;
  /** The configs of the update in progress. */
  readonly updateConfigs?: string;
  /** The current config, or its image. */
  readonly stored?: string;
  readonly initialAnnotations?: string;
};

type ReadState = {
  readonly journal?: Journal;
  readonly config?: NodeConfig;
  readonly damage?: StateDamage;
};

type Files = Pick<Host, 'files'>;

export async function readState(host: Files, configs: ConfigReader): Promise<ReadState> {
  const damage: { -readonly [Part in keyof StateDamage]: StateDamage[Part] } = {};
  const attempt = async <T>(part: keyof StateDamage, read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      if (!isDamage(error)) throw error;
      damage[part] = error.message;
      return undefined;
    }
  };
  const folder = await host.files.stat(DAEMON_FOLDER);
  if (folder?.kind === 'file' || folder?.kind === 'other') damage.folder = `${DAEMON_FOLDER} is no folder`;
  const journal = await attempt('journal', () => readJournal(host));
  const config = await attempt('stored', () => configs.current(host));
  if (journal !== undefined && config === undefined && storedDuring(journal) !== 'none') {
    damage.stored ??= `${CURRENT_CONFIG} is missing although an update is in progress`;
  }
  if (journal !== undefined) await attempt('updateConfigs', () => readUpdateConfigs(host, configs, journal));
  await attempt('initialAnnotations', () => readInitialAnnotations(host));
  return {
    ...(journal !== undefined && { journal }),
    ...(config !== undefined && { config }),
    ...(Object.keys(damage).length > 0 && { damage }),
  };
}

async function readUpdateConfigs(host: Files, configs: ConfigReader, { from, to }: Journal): Promise<void> {
  const read = [
    [JOURNAL_FROM, from.config, await configs.from(host, from.image)],
    [JOURNAL_TO, to.config, await configs.to(host, to.image)],
  ] as const;
  for (const [path, name, config] of read) {
    if (config.name !== name) throw damagedState(path, `it is ${config.name}, not ${name}`);
  }
}

const MAX_ANNOTATIONS_BYTES = 256 * 1024;

type Annotations = { readonly [key: string]: string };

/** Undefined where the node has joined. */
export async function readInitialAnnotations({ files }: Files): Promise<Annotations | undefined> {
  const bytes = await files.read(INITIAL_ANNOTATIONS, MAX_ANNOTATIONS_BYTES);
  if (bytes === undefined) return undefined;
  const value = parseJson(new TextDecoder().decode(bytes));
  const entries = isObject(value) ? Object.entries(value) : [];
  const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const known = Object.fromEntries(texts.filter(([key]) => KNOWN.has(key)));
  if (texts.length === entries.length && known[annotations.currentConfig]) return known;
  throw damagedState(INITIAL_ANNOTATIONS, 'it is no map of texts that names a config');
}

/** The daemon may not write other keys: the API server would reject the whole patch. */
const KNOWN: ReadonlySet<string> = new Set([
  annotations.currentConfig,
  annotations.desiredConfig,
  annotations.currentImage,
  annotations.desiredImage,
  annotations.firstPivotConfig,
  annotations.state,
  annotations.reason,
]);

/** A folder, a pipe, circular links or too much in the place of a file; I/O errors are no damage of the file. */
const DAMAGE_REASONS: readonly string[] = [
  STATE_DAMAGED,
  'IsFolder',
  'InvalidPath',
  'TooManyLinks',
  'FileTooLarge',
];

export function isDamage(error: unknown): error is Failure {
  return error instanceof Failure && DAMAGE_REASONS.includes(error.reason);
}

/** Moves a damaged file out of the way, in place of the last one of its name. */
export async function quarantine({ files }: Files, path: string): Promise<void> {
  if ((await files.stat(path)) === undefined) return;
  await files.removeFolder(damagedPath(path));
  await files.move(path, damagedPath(path));
}

/** The same for a file that is written anew at once: it is never missing, unless a folder is in its place. */
export async function keepDamaged({ files }: Files, path: string): Promise<void> {
  const there = await files.stat(path);
  if (there?.kind !== 'file') return await quarantine({ files }, path);
  await files.removeFolder(damagedPath(path));
  await files.copy(path, damagedPath(path));
}
