/**
 * Opens and closes the journal. The journal is written after both configs, and removed before them: an update is in progress
 * exactly while it exists.
 */

import { FORCE_FILE } from '../../api/index.ts';
import type { ConfigName, NodeConfig, Plan } from '../plan/index.ts';
import type { HostContext } from './context.ts';
import { type Journal, type JournalPhase, removeJournal, writeJournal } from './journal.ts';
import { quarantine } from './read-state.ts';
import { writeRetried } from './retry/retried-note.ts';
import {
  BACKUPS,
  BACKUPS_OF_LONG_PATHS,
  INITIAL_ANNOTATIONS,
  INITIAL_ANNOTATIONS_DONE,
  JOURNAL_FROM,
  JOURNAL_TO,
} from './state-paths.ts';
import { writeConfig } from './stored-config.ts';

type NewUpdate = {
  readonly plan: Omit<Plan, 'log'>;
  readonly from: NodeConfig;
  readonly to: NodeConfig;
  readonly bootId: string;
  readonly hadConfig: boolean;
  readonly isForced: boolean;
  /** The request that it takes up. */
  readonly retry?: string | undefined;
  readonly isJoining: boolean;
  readonly phase: JournalPhase;
};

export async function openJournal({ host }: HostContext, beginning: NewUpdate): Promise<Journal> {
  const { plan, from, to, bootId, hadConfig, isForced, retry, isJoining, phase } = beginning;
  const { change, actions, needsDrain, needsReboot, steps } = plan;
  const journal: Journal = {
    version: 1,
    phase,
    from: nameOf(from),
    to: nameOf(to),
    hadConfig,
    isForced,
    ...(retry === undefined ? {} : { retry }),
    isJoining,
    plan: { from: from.name, to: to.name, change, actions, needsDrain, needsReboot, steps },
    states: steps.map(() => 'waiting'),
    bootId,
    lostBoots: 0,
    pullTries: 0,
  };
  await writeConfig(host, JOURNAL_FROM, from);
  await writeConfig(host, JOURNAL_TO, to);
  await writeJournal(host, journal);
  // From here on it is recorded in the journal.
  if (isForced) await host.files.removeFolder(FORCE_FILE);
  return journal;
}

/** The force file of an update that did not succeed is restored: the administrator wants it to succeed. */
export async function closeJournal(
  { host }: HostContext,
  { isForced, retry }: Pick<Journal, 'isForced' | 'retry'>,
  { hasSucceeded }: { readonly hasSucceeded: boolean },
): Promise<void> {
  if (retry !== undefined && hasSucceeded) await writeRetried(host, retry);
  if (isForced && !hasSucceeded) {
    await host.files.write(FORCE_FILE, { bytes: new Uint8Array(), mode: 0o644 });
  }
  await removeJournal(host);
  await removeJournalFiles(host);
}

export async function removeJournalFiles({ files }: HostContext['host']): Promise<void> {
  // Whatever they are: a folder in the place of one of them must not stop a daemon.
  await files.removeFolder(JOURNAL_FROM);
  await files.removeFolder(JOURNAL_TO);
  await files.removeFolder(BACKUPS);
  await files.removeFolder(BACKUPS_OF_LONG_PATHS);
}

/** The node has joined. Its initial annotations are kept in a backup file. */
export async function retireInitialAnnotations({ files }: HostContext['host']): Promise<void> {
  const there = await files.stat(INITIAL_ANNOTATIONS);
  if (there === undefined) return;
  if (there.kind !== 'file') return await quarantine({ files }, INITIAL_ANNOTATIONS);
  if ((await files.stat(INITIAL_ANNOTATIONS_DONE))?.kind === 'folder') {
    await quarantine({ files }, INITIAL_ANNOTATIONS_DONE);
  }
  await files.copy(INITIAL_ANNOTATIONS, INITIAL_ANNOTATIONS_DONE);
  await files.remove(INITIAL_ANNOTATIONS);
}

function nameOf({ name, layeredImage = '' }: NodeConfig): ConfigName {
  return { config: name, image: layeredImage };
}
