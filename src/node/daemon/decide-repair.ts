/**
 * What to do about damaged state. Pure.
 *
 * A damaged file is moved out of the way and rebuilt where it is certain what it said:
 *
 *     journal            both configs of the update are there ──> everything that it may have changed is undone
 *                        there is no trace of an update, and the disk matches the current config ──> there was none
 *     update configs     the journal names them: they are in the cluster, or one of them is the current config
 *     current config     the journal says which it is; without an update, it is the one of the Node's annotation if the disk matches it
 *     first annotations  the Node or the current config has them
 *
 * Where it is not certain the node degrades, and says what an administrator can do: `millwright retry --force` or the force file has
 * the whole config written anew, whatever was there.
 */
import { FORCE_FILE } from '../../api/index.ts';
import type { ConfigName } from '../plan/index.ts';
import type { Journal, JournalFailure } from './journal.ts';
import type { StateDamage } from './read-state.ts';

/** What more is known where state is damaged. */
export type StateFacts = {
  /** Both configs of the update, from the disk or from the cluster. */
  readonly hasUpdateConfigs: boolean;
  /** Some file of an update is there. */
  readonly hasUpdateFiles: boolean;
  /** The config that the node should have; undefined where it is not known, or not in the cluster. */
  readonly candidate?: ConfigName;
  /** Why the disk does not match it. */
  readonly mismatch?: string;
  /** An OS is staged, which an update may have done. */
  readonly hasStagedOs: boolean;
};

export type Repair =
  /** A file is in the place of the folder of all state. */
  | 'remake-folder'
  /** Undo all that the update may have done. */
  | 'roll-back'
  | 'forget-update'
  | 'rebuild-update-configs'
  /** From the configs of the update in progress. */
  | 'restore-stored'
  /** The candidate. */
  | 'rebuild-stored'
  /** A node that joins begins once more. */
  | 'join-again'
  | 'forget-initial-annotations'
  /** As an administrator has asked, with a force file or `millwright retry --force`. */
  | 'start-over';

type RepairDecision =
  | { readonly kind: 'inspect'; readonly what: 'state' }
  | { readonly kind: 'repair'; readonly repair: Repair; readonly damage: string }
  | { readonly kind: 'fail'; readonly failure: JournalFailure };

type DiskState = {
  readonly stored?: ConfigName;
  readonly journal?: Journal;
  readonly isJoining: boolean;
  readonly damage?: StateDamage;
};

type RepairInput = {
  readonly disk: DiskState;
  /** By a force file, or by a request of an administrator. */
  readonly isForced: boolean;
  /** The config that the Node names; empty where it names none. */
  readonly current: ConfigName;
  readonly facts?: StateFacts | undefined;
};

/** Whether something is damaged that matters whatever the Node says. */
export function isDamaged({ damage }: Pick<DiskState, 'damage'>): boolean {
  return Object.keys(damage ?? {}).some((part) => part !== 'initialAnnotations');
}

/** Undefined where nothing is damaged that matters. */
export function decideRepair({ disk, isForced, current, facts }: RepairInput): RepairDecision | undefined {
  const { damage } = disk;
  if (damage === undefined) return undefined;
  if (damage.folder !== undefined) return { kind: 'repair', repair: 'remake-folder', damage: damage.folder };
  const text = damage.journal ?? damage.updateConfigs ?? damage.stored ?? neededInitial(damage, current);
  if (text === undefined) return undefined;
  const known = repairWithoutFacts(disk, damage);
  if (known !== undefined) return { kind: 'repair', repair: known, damage: text };
  if (facts === undefined) return { kind: 'inspect', what: 'state' };
  const repair = repairByFacts(damage, facts);
  if (typeof repair === 'string') return { kind: 'repair', repair, damage: text };
  if (isForced) return { kind: 'repair', repair: 'start-over', damage: text };
  return { kind: 'fail', failure: { error: `${text}; ${repair.unknown}; ${MENDING}` } };
}

/** They are not read any more once the Node has its annotations. */
function neededInitial(damage: StateDamage, current: ConfigName): string | undefined {
  return current.config === '' ? damage.initialAnnotations : undefined;
}

const MENDING = `to apply the desired config in full, whatever is there: millwright retry --force, or touch ${FORCE_FILE} on the node`;

/** What follows from the disk alone. */
function repairWithoutFacts(disk: DiskState, damage: StateDamage): Repair | undefined {
  const isOfUpdate = damage.journal !== undefined || damage.updateConfigs !== undefined;
  if (isOfUpdate && disk.isJoining) return 'join-again';
  // Nothing has been changed yet.
  if (damage.updateConfigs !== undefined && disk.journal?.phase === 'preparing') return 'forget-update';
  if (isOfUpdate) return undefined;
  if (damage.stored !== undefined) return disk.journal === undefined ? undefined : 'restore-stored';
  return disk.stored === undefined ? undefined : 'forget-initial-annotations';
}

type Uncertain = { readonly unknown: string };

function repairByFacts(damage: StateDamage, facts: StateFacts): Repair | Uncertain {
  const unknown = whyNot(facts);
  if (damage.journal !== undefined) {
    if (facts.hasUpdateConfigs) return 'roll-back';
    if (facts.hasUpdateFiles)
      return { unknown: 'an update was in progress, and its configs cannot be read either' };
    return unknown === undefined ? 'forget-update' : { unknown };
  }
  if (damage.updateConfigs !== undefined) {
    if (facts.hasUpdateConfigs) return 'rebuild-update-configs';
    return { unknown: 'the config is not in the cluster' };
  }
  if (damage.stored !== undefined) return unknown === undefined ? 'rebuild-stored' : { unknown };
  return { unknown: 'with which config the machine was installed is unknown' };
}

/** Why it is not certain that the disk holds the candidate and nothing else. */
function whyNot({ candidate, mismatch, hasStagedOs }: StateFacts): string | undefined {
  if (candidate === undefined) return 'which config the node has is unknown';
  if (mismatch !== undefined) return `the node should have ${candidate.config}, but ${mismatch}`;
  return hasStagedOs ? 'an OS is staged, and for which config is unknown' : undefined;
}
