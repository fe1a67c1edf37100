/**
 * The state machine of a node: given a snapshot of its disk, its annotations and its boot, what is the next action? Pure.
 *
 *     damaged:     repair ─> (observe again)
 *     no journal:  start-up ─> join ─┬─> validate ─> idle <──────────────────────────────────────────┐
 *                                    ├─> recover ─> idle                                             │
 *                                    └─> start-update ─> (journal)                                   │
 *     journal:     [begin-fetch ─> complete-fetch ─>] request-drain ─> complete-drain ─> begin-apply ─> run-step, … ─┬─> request-uncordon ─> report-done
 *                                                                    │            │           ^          ─> close-journal
 *                                                                    │            └─> announce-reboot ─> reboot ~~>
 *                                                                    │                complete-reboot ─> complete-verification ─┘
 *                                                                    └─> begin-rollback ─> undo-step, …
 *                                                                         ─> [reboot-to-previous ~~>] finish-rollback
 *
 * One action at a time: the daemon takes a new snapshot after each. So does a daemon that was killed at any instruction, and
 * continues. Facts that are costly to read are requested by the decision `inspect` and then are part of the snapshot.
 */
import { unreachable } from '../../base/errors.ts';
import { type DrainHandshake, drainProgress, isDrainRequested } from '../../rollout/index.ts';
import type { ConfigName } from '../plan/index.ts';
import { decideFetchStep, type FetchDecision } from './decide-fetch.ts';
import { decideRepair, isDamaged, type Repair, type StateFacts } from './decide-repair.ts';
import {
  type DrainDecision,
  type DrainWait,
  draining,
  drainingAgain,
  isDesired,
  isSame,
  waiting,
} from './drain/decide-drain.ts';
import type { FetchState } from './fetcher.ts';
import {
  indexOfKind,
  type Journal,
  type JournalFailure,
  lastStepToUndo,
  nextStep,
  stateOfKind,
} from './journal.ts';
import type { StateDamage } from './read-state.ts';
import { decideRetry, isForced, type RetryAnnotations, type RetryDecision } from './retry/decide-retry.ts';
import type { DaemonSettings } from './settings.ts';

/** What the daemon reads of its Node: annotations, its own and those of others. Missing ones are empty. */
export type NodeAnnotations = {
  readonly current: ConfigName;
  readonly desired: ConfigName;
  readonly state: string;
  readonly drain: DrainHandshake;
  /** Nobody has cordoned the node. */
  readonly isSchedulable?: boolean;
  /** The image to download ahead of an update, and the one that was. Absent in tests of other things. */
  readonly fetch?: { readonly requested: string; readonly fetched: string };
  /** The last request of an administrator to try again, and the last that was answered. */
  readonly retry?: RetryAnnotations;
};

export type NodeSnapshot = {
  /** `deleted`: there is no such Node, or it is being deleted. `unknown`: the caches have not synced yet. */
  readonly nodeAnnotations: NodeAnnotations | 'deleted' | 'unknown';
  readonly disk: {
    readonly stored?: ConfigName;
    readonly journal?: Journal;
    /** The initial annotations have not been set yet. */
    readonly isJoining: boolean;
    /** There is a force file. */
    readonly isForced: boolean;
    /** The last request to apply everything again that an update has completed. */
    readonly retried?: string;
    /** The OS image that is being downloaded, or was; empty where its name cannot be read. */
    readonly fetched?: string;
    /** What of it cannot be read. */
    readonly damage?: StateDamage;
  };
  readonly bootId: string;
  readonly nowMs: number;
  /** How long this process runs; absent where that does not matter. */
  readonly runsForMs?: number;
  /** How much of the time since the last request to drain or uncordon this process did not run. */
  readonly missedMs?: number;
  readonly process: ProcessState;
  readonly settings: Pick<DaemonSettings, 'drainLimitMs' | 'uncordonLimitMs'>;
  /** The answers to `inspect`. */
  readonly inspected?: Inspected;
};

/** What this process has done already. It is lost with the process, and done again. */
export type ProcessState = {
  readonly isStartedUp: boolean;
  readonly isValidated: boolean;
  /** By this process, which therefore learns whether the machine refuses. */
  readonly isRebootAnnounced: boolean;
  readonly isRebootRequested: boolean;
  /** A file or unit of the config may have changed since it was validated. */
  readonly mayHaveDrifted: boolean;
  /** A pull is not retried before this. */
  readonly pullAtMs?: number;
  /** What the last shutdown reported of a staged OS that it could not finalize. */
  readonly finalizeFailure?: string;
  /** The download in progress, or its outcome. */
  readonly fetch?: FetchState;
  /** The last request to try again that this process has taken up. */
  readonly retried?: string;
};

export type Inspected = {
  /** Why the booted OS is not the one of the new config; absent where it is. */
  readonly bootedOs?: { readonly problem?: string };
  /** Why the disk does not match the new config; absent where it does. */
  readonly onDiskState?: { readonly failure?: JournalFailure; readonly canRollBack?: boolean };
  readonly rollbackOs?: { readonly hasStaged: boolean; readonly runsNew: boolean };
  /** Where state is damaged. */
  readonly state?: StateFacts;
};

export type Decision =
  /** Nothing to do until something changes. `isUpToDate`: the node has its desired config. */
  | { readonly kind: 'idle'; readonly isUpToDate: boolean; readonly why: string }
  /** A registry or the machine has to act first, or the cluster to be heard of. */
  | {
      readonly kind: 'wait';
      readonly for: 'cluster' | 'fetch' | 'pull' | 'reboot';
      readonly delayMs?: number;
    }
  | DrainWait
  /** More facts are needed: decide again with them. */
  | { readonly kind: 'inspect'; readonly what: keyof Inspected }
  /** Removes what a power cut and first boot left behind. */
  | { readonly kind: 'start-up' }
  | { readonly kind: 'set-initial-annotations' }
  /** The node takes over the config that it was installed with. */
  | { readonly kind: 'join' }
  | { readonly kind: 'validate' }
  | { readonly kind: 'check-drift' }
  | { readonly kind: 'start-update' }
  /** The node failed at an update that is no longer desired, or drifted, and has its config: there is nothing to apply. */
  | { readonly kind: 'recover' }
  /** Damaged state is moved out of the way, and rebuilt. */
  | { readonly kind: 'repair'; readonly repair: Repair; readonly damage: string }
  /** Reported, and retried after growing delays. */
  | { readonly kind: 'fail'; readonly failure: JournalFailure }
  | RetryDecision
  | UpdateDecision;

/** An action of the update in progress. */
export type UpdateDecision =
  | Exclude<FetchDecision, { readonly kind: 'wait' }>
  | DrainDecision
  | { readonly kind: 'begin-apply' }
  | { readonly kind: 'run-step'; readonly index: number }
  | { readonly kind: 'announce-reboot'; readonly index: number }
  /** `onRefusal`: what to do where the machine refuses to reboot. */
  | { readonly kind: 'reboot'; readonly onRefusal: 'roll-back' | 'retry' }
  | { readonly kind: 'complete-reboot'; readonly index: number }
  /** The machine has booted without the staged OS: it is staged again, and booted again. */
  | { readonly kind: 'restage-os'; readonly lostBoots: number; readonly problem: string }
  /** The OS step runs, or is undone, once more: what it staged may be lost. */
  | { readonly kind: 'repeat-os-step'; readonly lostBoots: number }
  | { readonly kind: 'begin-verification' }
  | { readonly kind: 'complete-verification' }
  | { readonly kind: 'request-uncordon' }
  | { readonly kind: 'report-done' }
  | { readonly kind: 'close-journal' }
  /** Another config is desired, and nothing has been changed yet. */
  | { readonly kind: 'abandon' }
  /** A step failed, or another config is desired: what has been changed is undone, last step first. */
  | { readonly kind: 'begin-rollback' }
  | { readonly kind: 'undo-step'; readonly index: number }
  | { readonly kind: 'reboot-to-previous' }
  | { readonly kind: 'finish-rollback' };

export function decide(snapshot: NodeSnapshot): Decision {
  const { nodeAnnotations, disk, process } = snapshot;
  if (nodeAnnotations === 'deleted') return { kind: 'idle', isUpToDate: false, why: 'the Node is deleted' };
  if (nodeAnnotations === 'unknown' && isDamaged(disk)) return NOT_SYNCED;
  // First: what it asks for may be stuck anywhere.
  const retry = decideRetry(snapshot);
  if (retry !== undefined) return retry;
  const facts = snapshot.inspected?.state;
  const repair =
    nodeAnnotations === 'unknown'
      ? undefined
      : decideRepair({ disk, isForced: isForced(snapshot), current: nodeAnnotations.current, facts });
  if (repair !== undefined) return repair;
  if (!process.isStartedUp) return { kind: 'start-up' };
  if (nodeAnnotations === 'unknown') return withoutCluster(snapshot);
  if (disk.journal !== undefined) return inProgress(snapshot, nodeAnnotations, disk.journal);
  if (disk.isJoining) {
    return nodeAnnotations.current.config === '' ? { kind: 'set-initial-annotations' } : { kind: 'join' };
  }
  return settled(snapshot, nodeAnnotations);
}

/** A half-applied update is completed or rolled back: the cluster may need this very node to be reachable. */
function withoutCluster(snapshot: NodeSnapshot): Decision {
  const { journal } = snapshot.disk;
  const isHalfApplied = journal !== undefined && ['applying', 'undoing', 'verifying'].includes(journal.phase);
  if (!isHalfApplied) return NOT_SYNCED;
  const decision = inProgress(snapshot, NO_ANNOTATIONS, journal);
  const leftMs = CLUSTER_WAIT_MS - (snapshot.runsForMs ?? CLUSTER_WAIT_MS);
  return REBOOTS.includes(decision.kind) && leftMs > 0
    ? { kind: 'wait', for: 'cluster', delayMs: leftMs }
    : decision;
}

const REBOOTS: readonly Decision['kind'][] = ['announce-reboot', 'reboot', 'reboot-to-previous'];
/** Before a reboot: the node may take pods meanwhile, which only the cluster knows. */
const CLUSTER_WAIT_MS = 60_000;

const NOT_SYNCED: Decision = { kind: 'idle', isUpToDate: false, why: 'the caches have not synced yet' };

const NO_CONFIG: ConfigName = { config: '', image: '' };
const NO_ANNOTATIONS: NodeAnnotations = {
  current: NO_CONFIG,
  desired: NO_CONFIG,
  state: '',
  drain: { requested: '', applied: '' },
};

function settled(snapshot: NodeSnapshot, nodeAnnotations: NodeAnnotations): Decision {
  const { disk, process } = snapshot;
  const { current, desired, state, drain } = nodeAnnotations;
  const { stored } = disk;
  // A Node that was deleted and created anew has lost its annotations; the disk still has them. A machine that never had a
  // config sets the empty one: only nodes with a current config are assigned a desired one.
  if (current.config === '' && (stored !== undefined || desired.config === '')) {
    return { kind: 'set-initial-annotations' };
  }
  if (desired.config === '') {
    // A Node that was created anew while an update ended has half of its annotations.
    if (stored !== undefined) return { kind: 'set-initial-annotations' };
    return { kind: 'idle', isUpToDate: false, why: 'no config is desired yet' };
  }
  const isCurrent = isSame(stored ?? current, desired) && isSame(current, desired);
  // A state that was never set counts as done. A request to drain that arrives after its update has ended is still to be taken back.
  const isDone = isCurrent && (state === 'Done' || state === '') && !isDrainRequested(drain);
  // A node that is still to be uncordoned, or whose disk has no config, needs all of an update.
  const isInService = drainProgress(drain, { verb: 'uncordon', config: current.config }) === 'applied';
  if (isCurrent && !isDone && !isForced(snapshot) && isInService && stored !== undefined)
    return { kind: 'recover' };
  if (!isDone || isForced(snapshot)) return { kind: 'start-update' };
  if (!process.isValidated) return { kind: 'validate' };
  if (process.mayHaveDrifted) return { kind: 'check-drift' };
  return { kind: 'idle', isUpToDate: true, why: 'the node has its desired config' };
}

function inProgress(snapshot: NodeSnapshot, nodeAnnotations: NodeAnnotations, journal: Journal): Decision {
  switch (journal.phase) {
    case 'preparing':
    case 'applying':
      return applying(snapshot, nodeAnnotations, journal);
    case 'undoing':
      return rollingBack(snapshot, nodeAnnotations, journal);
    case 'verifying':
      return verifying(snapshot, nodeAnnotations, journal);
    case 'completing':
      return completing(snapshot, nodeAnnotations, journal);
    default:
      return unreachable(journal.phase);
  }
}

function applying(snapshot: NodeSnapshot, nodeAnnotations: NodeAnnotations, journal: Journal): Decision {
  if (journal.failure !== undefined) return { kind: 'begin-rollback' };
  if (journal.bootId !== snapshot.bootId) return booted(snapshot, journal);
  if (!isDesired(nodeAnnotations, journal) && !isPastReturn(journal)) {
    return journal.phase === 'preparing' ? { kind: 'abandon' } : { kind: 'begin-rollback' };
  }
  const index = nextStep(journal);
  if (index === undefined) {
    return journal.plan.needsReboot ? { kind: 'begin-verification' } : { kind: 'request-uncordon' };
  }
  const step = journal.plan.steps[index];
  const waitMs = pullWaitMs(snapshot);
  if (step?.kind === 'fetch') {
    const answered = nodeAnnotations.fetch?.fetched ?? '';
    return decideFetchStep({ index, image: step.image, fetch: snapshot.process.fetch, waitMs, answered });
  }
  if (step?.kind === 'drain') return draining(snapshot, nodeAnnotations, { journal, index });
  const drainedAgain =
    stateOfKind(journal, 'drain') === 'done' ? drainingAgain(snapshot, nodeAnnotations, journal) : undefined;
  if (drainedAgain !== undefined) return drainedAgain;
  if (journal.phase === 'preparing') return { kind: 'begin-apply' };
  if (step?.kind === 'post-action' && step.action.type === 'Reboot') {
    return journal.states[index] === 'begun' ? rebooting(snapshot) : { kind: 'announce-reboot', index };
  }
  if (step?.kind === 'os' && waitMs > 0) return { kind: 'wait', for: 'pull', delayMs: waitMs };
  return { kind: 'run-step', index };
}

/** A longer wait than any retry has means that the clock was set back. */
function pullWaitMs({ process, nowMs }: NodeSnapshot): number {
  const waitMs = (process.pullAtMs ?? 0) - nowMs;
  return waitMs <= LONGEST_PULL_WAIT_MS ? waitMs : 0;
}

const LONGEST_PULL_WAIT_MS = 5 * 60_000;
/** How often a machine may boot without the staged OS before the update or the rollback fails. */
const MAX_LOST_BOOTS = 3;

/** A reboot that an earlier process announced may be in progress: nothing is rolled back then. */
function rebooting({ process }: NodeSnapshot): Decision {
  if (process.isRebootRequested) return { kind: 'wait', for: 'reboot' };
  return { kind: 'reboot', onRefusal: process.isRebootAnnounced ? 'roll-back' : 'retry' };
}

/**
 * The machine has booted since the last entry of the journal. Where that was announced and the OS is the staged one, the
 * reboot is complete. Where the power was cut instead, what was staged is lost, and staged again. After too many lost boots
 * the reboot counts as complete: the verification then fails, and names the problem.
 */
function booted({ inspected }: NodeSnapshot, journal: Journal): Decision {
  const index = indexOfKind(journal, 'reboot');
  if (index === undefined || journal.states[index] !== 'begun') {
    return { kind: 'repeat-os-step', lostBoots: journal.lostBoots };
  }
  if (inspected?.bootedOs === undefined) return { kind: 'inspect', what: 'bootedOs' };
  const { problem } = inspected.bootedOs;
  const lostBoots = journal.lostBoots + 1;
  if (problem !== undefined && indexOfKind(journal, 'os') !== undefined && lostBoots < MAX_LOST_BOOTS) {
    return { kind: 'restage-os', lostBoots, problem };
  }
  return { kind: 'complete-reboot', index };
}

function verifying(snapshot: NodeSnapshot, nodeAnnotations: NodeAnnotations, journal: Journal): Decision {
  const { inspected } = snapshot;
  // The config is stored. Somebody asks for all of it to be written anew: that is another update.
  if (isForced(snapshot)) return { kind: 'close-journal' };
  if (inspected?.onDiskState === undefined) return { kind: 'inspect', what: 'onDiskState' };
  const { failure, canRollBack = false } = inspected.onDiskState;
  if (failure === undefined) return { kind: 'complete-verification' };
  // An administrator who reverts a config that does not boot properly expects that to help.
  const isReverted = !isDesired(nodeAnnotations, journal);
  if (canRollBack && isReverted && !journal.isJoining) return { kind: 'begin-rollback' };
  return { kind: 'fail', failure };
}

function rollingBack(snapshot: NodeSnapshot, nodeAnnotations: NodeAnnotations, journal: Journal): Decision {
  const { lostBoots } = journal;
  const isOsUndone = stateOfKind(journal, 'os') === 'undone';
  // The previous OS that was staged may be lost, or booted: undoing the OS step once more finds out which.
  if (journal.bootId !== snapshot.bootId) {
    return { kind: 'repeat-os-step', lostBoots: isOsUndone ? lostBoots + 1 : lostBoots };
  }
  const index = lastStepToUndo(journal);
  if (index !== undefined) return { kind: 'undo-step', index };
  if (!isOsUndone || journal.osBootId === snapshot.bootId) return { kind: 'finish-rollback' };
  const os = snapshot.inspected?.rollbackOs;
  if (os === undefined) return { kind: 'inspect', what: 'rollbackOs' };
  // Older daemons did not record the boot of the OS step; then the running image decides.
  const hasBooted = journal.osBootId !== undefined || os.runsNew;
  if (!hasBooted || !(os.hasStaged || os.runsNew)) return { kind: 'finish-rollback' };
  if (snapshot.process.isRebootRequested) return { kind: 'wait', for: 'reboot' };
  if (lostBoots >= MAX_LOST_BOOTS) {
    return { kind: 'fail', failure: { error: rollbackError(snapshot.process, journal) } };
  }
  if (!os.hasStaged) return { kind: 'repeat-os-step', lostBoots: lostBoots + 1 };
  const hasDrained = stateOfKind(journal, 'drain') !== 'waiting';
  const drainedAgain = hasDrained ? drainingAgain(snapshot, nodeAnnotations, journal) : undefined;
  return drainedAgain ?? { kind: 'reboot-to-previous' };
}

function rollbackError({ finalizeFailure }: ProcessState, { from, lostBoots, failure }: Journal): string {
  const cause = finalizeFailure === undefined ? '' : `; possible root cause: ${finalizeFailure}`;
  const why = `the machine booted ${lostBoots} times without the staged OS of ${from.config}${cause}`;
  return `error rolling back changes to OS: [${why}, ${failure?.error ?? ANOTHER_CONFIG}]`;
}

/** Why an update without a failure is rolled back. */
export const ANOTHER_CONFIG = 'another config is desired';

function completing(snapshot: NodeSnapshot, nodeAnnotations: NodeAnnotations, journal: Journal): Decision {
  if (!isDesired(nodeAnnotations, journal)) return { kind: 'close-journal' };
  const { config } = journal.to;
  const progress = drainProgress(nodeAnnotations.drain, { verb: 'uncordon', config });
  if (progress === 'not-requested') return { kind: 'request-uncordon' };
  if (progress === 'pending') {
    const limitMs = snapshot.settings.uncordonLimitMs;
    return waiting(snapshot, nodeAnnotations, { for: 'uncordon', journal, limitMs });
  }
  const isReported = nodeAnnotations.state === 'Done' && isSame(nodeAnnotations.current, journal.to);
  return isReported ? { kind: 'close-journal' } : { kind: 'report-done' };
}

/** From here on completing is shorter than rolling back: the config is stored, and a reboot, if any, is announced. */
function isPastReturn(journal: Journal): boolean {
  if (stateOfKind(journal, 'store-config') !== 'done') return false;
  return indexOfKind(journal, 'reboot') === undefined || stateOfKind(journal, 'reboot') !== 'waiting';
}
