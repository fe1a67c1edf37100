/**
 * Begins an update on the disk, and ends it there.
 *
 *     both configs ─> journal: the update is under way     journal away: it has ended ─> the rest is swept up
 */

import { FORCE_FILE } from '../../api/index.ts';
import type { ConfigName, NodeConfig, Plan } from '../plan/index.ts';
import type { Work } from './context.ts';
import { type Journal, type JournalPhase, removeJournal, writeJournal } from './journal.ts';
import {
  FIRST_ANNOTATIONS,
  FIRST_ANNOTATIONS_DONE,
  IN_THE_WAY,
  JOURNAL_FROM,
  JOURNAL_TO,
} from './state-paths.ts';
import { writeConfig } from './stored-config.ts';

type Beginning = {
  readonly plan: Omit<Plan, 'log'>;
  readonly from: NodeConfig;
  readonly to: NodeConfig;
  readonly bootId: string;
  readonly hadConfig: boolean;
  readonly isForced: boolean;
  readonly isJoining: boolean;
  readonly phase: JournalPhase;
};

export async function openJournal({ host }: Work, beginning: Beginning): Promise<Journal> {
  const { plan, from, to, bootId, hadConfig, isForced, isJoining, phase } = beginning;
  const { change, actions, needsDrain, needsReboot, steps } = plan;
  const journal: Journal = {
    version: 1,
    phase,
    from: nameOf(from),
    to: nameOf(to),
    ...{ hadConfig, isForced, isJoining },
    plan: { from: from.name, to: to.name, change, actions, needsDrain, needsReboot, steps },
    states: steps.map(() => 'waiting'),
    bootId,
    lostBoots: 0,
    pullTries: 0,
  };
  await writeConfig(host, JOURNAL_FROM, from);
  await writeConfig(host, JOURNAL_TO, to);
  await writeJournal(host, journal);
  // From here on the journal remembers it.
  if (isForced) await host.files.remove(FORCE_FILE);
  return journal;
}

/** A force file that brought nothing about is laid down again: whoever made it wanted more than a try. */
export async function closeJournal(
  { host }: Work,
  { isForced }: Pick<Journal, 'isForced'>,
  { hasSucceeded }: { readonly hasSucceeded: boolean },
): Promise<void> {
  if (isForced && !hasSucceeded) {
    await host.files.write(FORCE_FILE, { bytes: new Uint8Array(), mode: 0o644 });
  }
  await removeJournal(host);
  await sweepAfterJournal(host);
}

export async function sweepAfterJournal({ files }: Work['host']): Promise<void> {
  await files.remove(JOURNAL_FROM);
  await files.remove(JOURNAL_TO);
  await files.removeFolder(IN_THE_WAY);
}

/** The node has joined; its first words are kept where nobody takes them for news. */
export async function putFirstAnnotationsAway({ files }: Work['host']): Promise<void> {
  if ((await files.stat(FIRST_ANNOTATIONS)) === undefined) return;
  await files.copy(FIRST_ANNOTATIONS, FIRST_ANNOTATIONS_DONE);
  await files.remove(FIRST_ANNOTATIONS);
}

function nameOf({ name, layeredImage = '' }: NodeConfig): ConfigName {
  return { config: name, image: layeredImage };
}
