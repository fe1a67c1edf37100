/**
 * What is the next thing that this node does? A function of what can be seen: the disk, the words on the Node, the boot.
 *
 *     no journal:  clean-up ─> join ─┬─> validate ─> idle <─────────────────────────────────┐
 *                                    └─> start ─> (journal)                                 │
 *     journal:     ask-drain ─> drained ─> apply ─> run, run, … ─┬─> finish ─> say-done ─> close
 *                                                    │           └─> announce-reboot ─> reboot ~~> boot-noticed ─> verify ─┘
 *                                                    └─> undo, undo, … ─> give-up (after a boot, where the new OS runs)
 *
 * One thing at a time: whoever carries it out looks again after it. A daemon that is killed at any instruction looks again
 * too, and goes on.
 */

import { unreachable } from '../../base/errors.ts';
import { type DrainHandshake, drainProgress } from '../../rollout/index.ts';
import type { ConfigName } from '../plan/index.ts';
import {
  indexOfKind,
  type Journal,
  lastStepToUndo,
  nextStep,
  type StepState,
  stateOfKind,
} from './journal.ts';
import type { DaemonSettings } from './settings.ts';

/** The words on the Node, those of others and our own. Empty texts stand for what is not there. */
export type NodeWords = {
  readonly current: ConfigName;
  readonly desired: ConfigName;
  readonly state: string;
  readonly drain: DrainHandshake;
};

export type Seen = {
  /** `gone`: there is no such node, or it is being deleted. `unknown`: the cluster has not been heard of yet. */
  readonly words: NodeWords | 'gone' | 'unknown';
  readonly disk: {
    readonly stored?: ConfigName;
    readonly journal?: Journal;
    /** The first words of the node have not been taken over yet. */
    readonly isJoining: boolean;
    readonly isForced: boolean;
  };
  readonly bootId: string;
  readonly nowMs: number;
  /** What this process has done already. Forgotten with it, and done again. */
  readonly process: ProcessSeen;
  readonly settings: Pick<DaemonSettings, 'drainLimitMs' | 'uncordonLimitMs'>;
};

export type ProcessSeen = {
  readonly isCleanedUp: boolean;
  readonly isValidated: boolean;
  readonly isRebootAsked: boolean;
  /** A file or unit of the config may have changed since it was validated. */
  readonly mayHaveDrifted: boolean;
  /** A pull is not tried again before this. */
  readonly pullAtMs?: number;
};

export type Decision =
  /** Nothing to do, until something changes. `isUpToDate`: the node is what it should be. */
  | { readonly kind: 'idle'; readonly isUpToDate: boolean; readonly why: string }
  /** The drain controller, a pull or the machine has to do something first. */
  | {
      readonly kind: 'wait';
      readonly for: 'drain' | 'uncordon' | 'pull' | 'reboot';
      readonly delayMs?: number;
    }
  /** It takes too long. It is said, and waited on. */
  | { readonly kind: 'overdue'; readonly for: 'drain' | 'uncordon'; readonly config: string }
  /** What a power cut and first boot left behind. */
  | { readonly kind: 'clean-up' }
  /** The Node gets its first words. */
  | { readonly kind: 'introduce' }
  /** The node takes up the config that it was installed with. */
  | { readonly kind: 'settle-in' }
  | { readonly kind: 'validate' }
  | { readonly kind: 'check-drift' }
  | { readonly kind: 'start' }
  | { readonly kind: 'ask-drain' }
  | { readonly kind: 'drained'; readonly index: number }
  | { readonly kind: 'apply' }
  | { readonly kind: 'run'; readonly index: number }
  | { readonly kind: 'announce-reboot'; readonly index: number }
  | { readonly kind: 'reboot' }
  | { readonly kind: 'boot-noticed' }
  | { readonly kind: 'finish' }
  | { readonly kind: 'verify' }
  | { readonly kind: 'ask-uncordon' }
  | { readonly kind: 'say-done' }
  | { readonly kind: 'close' }
  /** Another target is wanted. `abandon`: nothing was touched yet. `turn-back`: what was is undone first. */
  | { readonly kind: 'abandon' | 'turn-back' }
  | { readonly kind: 'undo'; readonly index: number }
  | { readonly kind: 'give-up' };

export function decide(seen: Seen): Decision {
  const { words, disk, process } = seen;
  if (words === 'gone') return { kind: 'idle', isUpToDate: false, why: 'the node is gone' };
  if (!process.isCleanedUp) return { kind: 'clean-up' };
  if (words === 'unknown') return withoutCluster(seen);
  if (disk.journal !== undefined) return underWay(seen, words, disk.journal);
  if (disk.isJoining) return words.current.config === '' ? { kind: 'introduce' } : { kind: 'settle-in' };
  return settled(seen, words);
}

/** What is half done is brought to an end, one or the other: the cluster may need this very node to be reached. */
function withoutCluster(seen: Seen): Decision {
  const { journal } = seen.disk;
  const isHalfDone = journal !== undefined && ['applying', 'undoing', 'verifying'].includes(journal.phase);
  return isHalfDone
    ? underWay(seen, NOTHING_SAID, journal)
    : { kind: 'idle', isUpToDate: false, why: 'the cluster has not been heard of yet' };
}

const NOWHERE: ConfigName = { config: '', image: '' };
const NOTHING_SAID: NodeWords = {
  ...{ current: NOWHERE, desired: NOWHERE },
  ...{ state: '', drain: { requested: '', applied: '' } },
};

function settled({ disk, process }: Seen, words: NodeWords): Decision {
  const { stored } = disk;
  // Whoever made the Node anew took its words away; the disk still has them. A machine that was never given a config says
  // so: only those that have spoken are sent anywhere.
  const isSilent = words.current.config === '';
  if (isSilent && (stored !== undefined || words.desired.config === '')) return { kind: 'introduce' };
  if (words.desired.config === '') {
    // Whoever made the Node anew while an update was ending left only half of its words.
    if (stored !== undefined) return { kind: 'introduce' };
    return { kind: 'idle', isUpToDate: false, why: 'no config is wanted yet' };
  }
  const from = stored ?? words.current;
  const isThere = isSame(from, words.desired);
  const isDone = isThere && isSame(words.current, words.desired) && isStateDone(words.state);
  if (!isDone || disk.isForced) return { kind: 'start' };
  if (!process.isValidated) return { kind: 'validate' };
  if (process.mayHaveDrifted) return { kind: 'check-drift' };
  return { kind: 'idle', isUpToDate: true, why: 'the node is in its desired config' };
}

/** A state that was never said counts as well. */
function isStateDone(state: string): boolean {
  return state === 'Done' || state === '';
}

function underWay(seen: Seen, words: NodeWords, journal: Journal): Decision {
  switch (journal.phase) {
    case 'undoing': {
      // What was staged for the way back may be lost, or booted.
      if (journal.bootId !== seen.bootId) return { kind: 'boot-noticed' };
      const index = lastStepToUndo(journal);
      return index === undefined ? { kind: 'give-up' } : { kind: 'undo', index };
    }
    case 'preparing':
    case 'applying':
      return applying(seen, words, journal);
    case 'verifying':
      // The config is stored. Whoever wants it written anew, whatever is there, gets another update to it.
      return seen.disk.isForced ? { kind: 'close' } : { kind: 'verify' };
    case 'completing':
      return completing(seen, words, journal);
    default:
      return unreachable(journal.phase);
  }
}

function applying(seen: Seen, words: NodeWords, journal: Journal): Decision {
  if (journal.bootId !== seen.bootId) return { kind: 'boot-noticed' };
  if (!isWanted(words, journal) && !isBeyondReturn(journal)) {
    return journal.phase === 'preparing' ? { kind: 'abandon' } : { kind: 'turn-back' };
  }
  const index = nextStep(journal);
  if (index === undefined) return { kind: 'finish' };
  const step = journal.plan.steps[index];
  if (step?.kind === 'drain') return draining(seen, words, { journal, index });
  if (journal.phase === 'preparing') return { kind: 'apply' };
  if (step?.kind === 'post-action' && step.action.type === 'Reboot') {
    return rebooting(seen, { state: journal.states[index] ?? 'waiting', index });
  }
  const waitMs = (seen.process.pullAtMs ?? 0) - seen.nowMs;
  // A wait that is longer than any we ask for means that the clock was set back: nobody waits for it to come again.
  if (step?.kind === 'os' && waitMs > 0 && waitMs <= LONGEST_PULL_WAIT_MS) {
    return { kind: 'wait', for: 'pull', delayMs: waitMs };
  }
  return { kind: 'run', index };
}

const LONGEST_PULL_WAIT_MS = 5 * 60_000;

function rebooting(
  { process }: Seen,
  { state, index }: { readonly state: StepState; readonly index: number },
): Decision {
  if (state !== 'begun') return { kind: 'announce-reboot', index };
  return process.isRebootAsked ? { kind: 'wait', for: 'reboot' } : { kind: 'reboot' };
}

function draining(
  seen: Seen,
  words: NodeWords,
  { journal, index }: { readonly journal: Journal; readonly index: number },
): Decision {
  const { config } = journal.to;
  const answer = drainProgress(words.drain, { verb: 'drain', config });
  if (answer === 'applied') return { kind: 'drained', index };
  if (answer === 'not-requested') return { kind: 'ask-drain' };
  return waiting(seen, words, { for: 'drain', config, journal, limitMs: seen.settings.drainLimitMs });
}

function completing(seen: Seen, words: NodeWords, journal: Journal): Decision {
  if (!isWanted(words, journal)) return { kind: 'close' };
  const { config } = journal.to;
  const answer = drainProgress(words.drain, { verb: 'uncordon', config });
  if (answer === 'not-requested') return { kind: 'ask-uncordon' };
  if (answer === 'pending') {
    return waiting(seen, words, { for: 'uncordon', config, journal, limitMs: seen.settings.uncordonLimitMs });
  }
  const isSaid = words.state === 'Done' && isSame(words.current, journal.to);
  return isSaid ? { kind: 'close' } : { kind: 'say-done' };
}

type Waiting = {
  readonly for: 'drain' | 'uncordon';
  readonly config: string;
  readonly journal: Journal;
  readonly limitMs: number;
};

function waiting({ nowMs }: Seen, { state }: NodeWords, waited: Waiting): Decision {
  const leftMs = (waited.journal.askedMs ?? nowMs) + waited.limitMs - nowMs;
  if (['Degraded', 'Unreconcilable'].includes(state)) return { kind: 'wait', for: waited.for };
  if (leftMs <= 0) return { kind: 'overdue', for: waited.for, config: waited.config };
  // A moment that another clock wrote may lie in the future; then the limit counts from now.
  return { kind: 'wait', for: waited.for, delayMs: Math.min(leftMs, waited.limitMs) };
}

/** A Node that says nothing of what is desired does not send us elsewhere. */
export function isWanted({ desired }: NodeWords, { to }: Journal): boolean {
  return desired.config === '' || isSame(desired, to);
}

/** From here on it is shorter to arrive than to go back: the config is stored, and a reboot, if any, is announced. */
function isBeyondReturn(journal: Journal): boolean {
  if (stateOfKind(journal, 'store-config') !== 'done') return false;
  return indexOfKind(journal, 'reboot') === undefined || stateOfKind(journal, 'reboot') !== 'waiting';
}

function isSame(a: ConfigName, b: ConfigName): boolean {
  return a.config === b.config && a.image === b.image;
}
