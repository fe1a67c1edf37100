import { describe, expect, it } from 'vitest';
import { aJournal } from '../../../test/support/a-journal.ts';
import type { PostAction, Step } from '../plan/index.ts';
import { type Decision, decide, type NodeAnnotations, type NodeSnapshot } from './decide.ts';
import type { Journal, StepState } from './journal.ts';

const name = (config: string, image = '') => ({ config, image });
const HOUR = 3_600_000;

const DONE: NodeAnnotations = {
  current: name('old'),
  desired: name('old'),
  state: 'Done',
  drain: { requested: 'uncordon-old', applied: 'uncordon-old' },
};

const files: Step = { kind: 'files', units: [] };
const os: Step = { kind: 'os', reasons: ['Upgrading OS'] };
const store: Step = { kind: 'store-config' };
const drain: Step = { kind: 'drain' };
const action = (type: 'Reboot' | 'None'): Step => ({ kind: 'post-action', action: { type } as PostAction });

const WITH_REBOOT: readonly Step[] = [drain, files, os, store, action('Reboot')];
const WITHOUT_OS: readonly Step[] = [drain, files, store, action('Reboot')];
const WITHOUT_REBOOT: readonly Step[] = [files, store, action('None')];

const STATES: { readonly [letter: string]: StepState } = { w: 'waiting', b: 'begun', d: 'done', u: 'undone' };

/** `states`: one letter for each step. */
function journal(steps: readonly Step[], states: string, change: Partial<Journal> = {}): Journal {
  return aJournal(steps, {
    states: [...states].map((letter) => STATES[letter] ?? 'waiting'),
    bootId: 'boot-1',
    askedMs: 0,
    ...change,
  });
}

type SnapshotChange = {
  readonly node?: Partial<NodeAnnotations> | 'deleted' | 'unknown';
  readonly disk?: Partial<NodeSnapshot['disk']>;
  readonly process?: Partial<NodeSnapshot['process']>;
  readonly inspected?: NodeSnapshot['inspected'];
  readonly bootId?: string;
  readonly nowMs?: number;
  readonly missedMs?: number;
  readonly runsForMs?: number;
};

function snapshot({ node, disk, process, inspected, ...rest }: SnapshotChange): NodeSnapshot {
  return {
    nodeAnnotations: typeof node === 'string' ? node : { ...DONE, ...node },
    disk: { stored: name('old'), isJoining: false, isForced: false, ...disk },
    bootId: rest.bootId ?? 'boot-1',
    nowMs: rest.nowMs ?? 1_000,
    missedMs: rest.missedMs ?? 0,
    ...(rest.runsForMs === undefined ? {} : { runsForMs: rest.runsForMs }),
    process: {
      isStartedUp: true,
      isValidated: true,
      isRebootAnnounced: true,
      isRebootRequested: false,
      mayHaveDrifted: false,
      ...process,
    },
    settings: { drainLimitMs: HOUR, uncordonLimitMs: HOUR / 6 },
    ...(inspected && { inspected }),
  };
}

/** Annotations of a node that is being updated. */
const toNew = { desired: name('new'), state: 'Working' };
const drainRequested = { ...toNew, drain: { requested: 'drain-new', applied: 'uncordon-old' } };
const drained = { ...toNew, drain: { requested: 'drain-new', applied: 'drain-new' } };
const uncordonRequested = { ...toNew, drain: { requested: 'uncordon-new', applied: 'drain-new' } };
const uncordoned = { ...toNew, drain: { requested: 'uncordon-new', applied: 'uncordon-new' } };
const toNewer = { ...drained, desired: name('newer') };
/** Of the only node of its cluster. */
const SKIPPED = {
  request: 'drain-new',
  cordonedBy: 'nobody',
  isSkipped: true,
  ...{ beganMs: 0, attempts: 0, attemptBeganMs: 0 },
} as const;
const withoutStored = { isJoining: false, isForced: false };

type Row = readonly [title: string, snapshot: NodeSnapshot, decision: Partial<Decision>];

function checkAll(rows: readonly Row[]): void {
  it.each(rows)('%s', (_, given, expected) => {
    expect(decide(given)).toMatchObject(expected);
  });
}

/** An update with a reboot, drained by default. */
const at = (states: string, change: SnapshotChange = {}, journalChange: Partial<Journal> = {}) =>
  snapshot({
    node: drained,
    ...change,
    disk: { journal: journal(WITH_REBOOT, states, journalChange), ...change.disk },
  });

describe('decide, without an update in progress', () => {
  checkAll([
    ['ignores a deleted Node', snapshot({ node: 'deleted' }), { kind: 'idle', isUpToDate: false }],
    ['starts up first', snapshot({ process: { isStartedUp: false } }), { kind: 'start-up' }],
    [
      'sets the initial annotations of a machine that joins',
      snapshot({ disk: { isJoining: true }, node: { current: name('') } }),
      { kind: 'set-initial-annotations' },
    ],
    ['joins once the initial annotations are set', snapshot({ disk: { isJoining: true } }), { kind: 'join' }],
    [
      'restores the annotations of a Node that was created anew from the disk',
      snapshot({ node: { current: name(''), desired: name('') } }),
      { kind: 'set-initial-annotations' },
    ],
    [
      'restores the desired config of a Node that has lost it',
      snapshot({ node: { desired: name('') } }),
      { kind: 'set-initial-annotations' },
    ],
    [
      'sets the empty config on a machine that never had one',
      { ...snapshot({ node: { current: name(''), desired: name('') } }), disk: withoutStored },
      { kind: 'set-initial-annotations' },
    ],
    [
      'starts the first update of a machine without a config',
      { ...snapshot({ node: { current: name(''), desired: name('new'), state: '' } }), disk: withoutStored },
      { kind: 'start-update' },
    ],
    ['validates once per process', snapshot({ process: { isValidated: false } }), { kind: 'validate' }],
    ['is idle on a node that is done', snapshot({}), { kind: 'idle', isUpToDate: true }],
    [
      'takes a state that was never set for done',
      snapshot({ node: { state: '' } }),
      { kind: 'idle', isUpToDate: true },
    ],
    [
      'asks by an update to its current config for the uncordon of a done node that is to be drained',
      snapshot({ node: { drain: { requested: 'drain-old', applied: 'uncordon-old' } } }),
      { kind: 'start-update' },
    ],
    [
      'checks for drift after a change of the disk',
      snapshot({ process: { mayHaveDrifted: true } }),
      { kind: 'check-drift' },
    ],
    ['starts an update to another desired config', snapshot({ node: toNew }), { kind: 'start-update' }],
    [
      'starts an update to another desired image',
      snapshot({ node: { desired: name('old', 'image') } }),
      { kind: 'start-update' },
    ],
    [
      'heals a degraded node that has its config and is in service',
      snapshot({ node: { state: 'Degraded' } }),
      { kind: 'recover' },
    ],
    [
      'heals an unreconcilable node that has its config and is in service',
      snapshot({ node: { state: 'Unreconcilable' } }),
      { kind: 'recover' },
    ],
    [
      'recovers on a node that is Working without a journal',
      snapshot({ node: { state: 'Working' } }),
      { kind: 'recover' },
    ],
    [
      'heals by an update to its current config a node that is drained for another one',
      snapshot({ node: { state: 'Degraded', drain: drained.drain } }),
      { kind: 'start-update' },
    ],
    [
      'heals by an update to its current config a node that is still being uncordoned',
      snapshot({ node: { state: 'Degraded', drain: { requested: 'uncordon-old', applied: 'drain-new' } } }),
      { kind: 'start-update' },
    ],
    [
      'heals by an update to its current config a node whose disk does not have it',
      { ...snapshot({ node: { state: 'Degraded' } }), disk: withoutStored },
      { kind: 'start-update' },
    ],
    [
      'updates a degraded node where there is a force file',
      snapshot({ node: { state: 'Degraded' }, disk: { isForced: true } }),
      { kind: 'start-update' },
    ],
    [
      'trusts the disk more than the annotation of the current config',
      snapshot({ node: { current: name('older') } }),
      { kind: 'start-update' },
    ],
    [
      'starts an update where there is a force file',
      snapshot({ disk: { isForced: true } }),
      { kind: 'start-update' },
    ],
  ]);
});

describe('decide, during an update', () => {
  const preparing = { phase: 'preparing' } as const;
  const completing = { phase: 'completing' } as const;
  checkAll([
    ['requests the drain', at('wwwww', { node: toNew }, preparing), { kind: 'request-drain' }],
    [
      'waits for the drain',
      at('wwwww', { node: drainRequested }, preparing),
      { kind: 'wait', for: 'drain', delayMs: HOUR - 1_000 },
    ],
    [
      'waits for the drain for as long as its machine did not sleep',
      at('wwwww', { node: drainRequested, nowMs: 9 * HOUR, missedMs: 8 * HOUR + 1_000 }, preparing),
      { kind: 'wait', for: 'drain', delayMs: 1_000 },
    ],
    [
      'reports a drain that takes too long',
      at('wwwww', { node: drainRequested, nowMs: HOUR }, preparing),
      { kind: 'report-timeout', of: 'drain' },
    ],
    [
      'waits for the drain without a limit once that is reported',
      at('wwwww', { node: { ...drainRequested, state: 'Degraded' }, nowMs: 2 * HOUR }, preparing),
      { kind: 'wait', for: 'drain' },
    ],
    ['completes the drain step', at('wwwww', {}, preparing), { kind: 'complete-drain', index: 0 }],
    ['begins to apply', at('dwwww', {}, preparing), { kind: 'begin-apply' }],
    ['writes the files', at('dwwww'), { kind: 'run-step', index: 1 }],
    [
      'requests the drain again where the node was released in mid-update',
      at('ddwww', { node: toNew }),
      { kind: 'request-drain' },
    ],
    [
      'waits for the second drain where the node was released in mid-update',
      at('ddwww', { node: drainRequested }),
      { kind: 'wait', for: 'drain' },
    ],
    [
      'drains again before a reboot that was announced where the node was released since',
      at('ddddb', { node: toNew }),
      { kind: 'request-drain', config: 'new' },
    ],
    [
      'withdraws the drain of a node that was uncordoned before its reboot',
      at('ddddb', { node: { ...drained, isSchedulable: true } }),
      { kind: 'withdraw-drain', config: 'new' },
    ],
    [
      'withdraws the drain of a node that was uncordoned, for the config that is desired now',
      at('ddddb', { node: { ...drained, isSchedulable: true, desired: name('newer') } }),
      { kind: 'withdraw-drain', config: 'newer' },
    ],
    [
      'waits until the withdrawal is answered, before it requests another drain',
      at('ddddb', { node: { ...uncordonRequested, isSchedulable: true } }),
      { kind: 'wait', for: 'uncordon' },
    ],
    [
      'requests another drain once the withdrawal is answered',
      at('ddddb', { node: { ...uncordoned, isSchedulable: true } }),
      { kind: 'request-drain', config: 'new' },
    ],
    [
      'goes on once the node is drained for the config that is desired now',
      at('ddddb', {
        node: {
          ...toNew,
          desired: name('newer'),
          drain: { requested: 'drain-newer', applied: 'drain-newer' },
        },
      }),
      { kind: 'reboot' },
    ],
    [
      'does not wait for a drain that was left out in a cluster of one node',
      at('ddddb', {
        node: { ...drained, isSchedulable: true, drain: { ...drained.drain, record: SKIPPED } },
      }),
      { kind: 'reboot' },
    ],
    [
      'does not withdraw the drain while the machine goes down',
      at('ddddb', { node: { ...drained, isSchedulable: true }, process: { isRebootRequested: true } }),
      { kind: 'wait', for: 'reboot' },
    ],
    ['writes the files again after an interruption', at('dbwww'), { kind: 'run-step', index: 1 }],
    ['stages the OS', at('ddwww'), { kind: 'run-step', index: 2 }],
    [
      'waits before it retries a pull',
      at('ddbww', { process: { pullAtMs: 5_000 } }),
      { kind: 'wait', for: 'pull', delayMs: 4_000 },
    ],
    [
      'does not wait for a clock that was set back',
      at('ddbww', { process: { pullAtMs: 24 * HOUR } }),
      { kind: 'run-step', index: 2 },
    ],
    ['stores the config', at('dddww'), { kind: 'run-step', index: 3 }],
    ['announces the reboot', at('ddddw'), { kind: 'announce-reboot', index: 4 }],
    [
      'waits for the machine to go down',
      at('ddddb', { process: { isRebootRequested: true } }),
      { kind: 'wait', for: 'reboot' },
    ],
    ['begins the verification after the reboot', at('ddddd'), { kind: 'begin-verification' }],
    [
      'requests to be uncordoned at once where no reboot is needed',
      snapshot({ node: toNew, disk: { journal: journal(WITHOUT_REBOOT, 'ddd') } }),
      { kind: 'request-uncordon' },
    ],
    [
      'ignores a force file before the config is stored',
      at('dwwww', { disk: { isForced: true } }),
      { kind: 'run-step', index: 1 },
    ],
    ['requests to be uncordoned', at('ddddd', {}, completing), { kind: 'request-uncordon' }],
    [
      'waits to be uncordoned',
      at('ddddd', { node: uncordonRequested }, completing),
      { kind: 'wait', for: 'uncordon', delayMs: HOUR / 6 - 1_000 },
    ],
    [
      'reports an uncordon that takes too long',
      at('ddddd', { node: uncordonRequested, nowMs: HOUR }, completing),
      { kind: 'report-timeout', of: 'uncordon' },
    ],
    ['reports that it is done', at('ddddd', { node: uncordoned }, completing), { kind: 'report-done' }],
    [
      'closes its journal once the Node shows that it is done',
      at('ddddd', { node: { ...uncordoned, current: name('new'), state: 'Done' } }, completing),
      { kind: 'close-journal' },
    ],
  ]);
});

describe('decide, about the reboot', () => {
  const booted = (states: string, change: SnapshotChange = {}, journalChange: Partial<Journal> = {}) =>
    at(states, { bootId: 'boot-2', ...change }, journalChange);
  const wrongOs = { inspected: { bootedOs: { problem: 'another image' } } };
  const withoutOs = (change: SnapshotChange) =>
    snapshot({
      node: drained,
      bootId: 'boot-2',
      ...change,
      disk: { journal: journal(WITHOUT_OS, 'dddb') },
    });
  checkAll([
    [
      'reboots, and rolls back where the machine refuses',
      at('ddddb'),
      { kind: 'reboot', onRefusal: 'roll-back' },
    ],
    [
      'retries a refused reboot that an earlier process announced, as the machine may be going down',
      at('ddddb', { process: { isRebootAnnounced: false } }),
      { kind: 'reboot', onRefusal: 'retry' },
    ],
    ['inspects the OS after the announced boot', booted('ddddb'), { kind: 'inspect', what: 'bootedOs' }],
    [
      'completes the reboot where the staged OS runs',
      booted('ddddb', { inspected: { bootedOs: {} } }),
      { kind: 'complete-reboot', index: 4 },
    ],
    [
      'stages the OS again where the boot came without it',
      booted('ddddb', wrongOs),
      { kind: 'restage-os', lostBoots: 1, problem: 'another image' },
    ],
    [
      'counts every boot without the staged OS',
      booted('ddddb', wrongOs, { lostBoots: 1 }),
      { kind: 'restage-os', lostBoots: 2 },
    ],
    [
      'leaves the failure to the verification after three boots without the staged OS',
      booted('ddddb', wrongOs, { lostBoots: 2 }),
      { kind: 'complete-reboot', index: 4 },
    ],
    [
      'stages nothing again where the plan has no OS step',
      withoutOs(wrongOs),
      { kind: 'complete-reboot', index: 3 },
    ],
    [
      'repeats the OS step after an unexpected boot',
      booted('dddww', {}, { lostBoots: 1 }),
      { kind: 'repeat-os-step', lostBoots: 1 },
    ],
    ['continues after a boot before the OS step', booted('dbwww'), { kind: 'repeat-os-step', lostBoots: 0 }],
    [
      'repeats the OS step also where another config is desired by now',
      booted('dddww', { node: toNewer }),
      { kind: 'repeat-os-step' },
    ],
  ]);
});

describe('decide, about the verification', () => {
  const failure = { error: 'unexpected on-disk state' };
  const verifying = (change: SnapshotChange = {}, journalChange: Partial<Journal> = {}) =>
    at('ddddd', change, { phase: 'verifying', ...journalChange });
  const invalid = { inspected: { onDiskState: { failure, canRollBack: true } } };
  checkAll([
    ['inspects the disk', verifying(), { kind: 'inspect', what: 'onDiskState' }],
    [
      'inspects the disk also where another config is desired by now',
      verifying({ node: toNewer }),
      { kind: 'inspect', what: 'onDiskState' },
    ],
    [
      'completes where the disk matches the config',
      verifying({ inspected: { onDiskState: {} } }),
      { kind: 'complete-verification' },
    ],
    [
      'completes also where another config is desired by now',
      verifying({ node: toNewer, inspected: { onDiskState: {} } }),
      { kind: 'complete-verification' },
    ],
    ['fails where the disk does not match', verifying(invalid), { kind: 'fail', failure }],
    [
      'rolls back where the disk does not match and another config is desired by now',
      verifying({ ...invalid, node: toNewer }),
      { kind: 'begin-rollback' },
    ],
    [
      'does not roll back missing packages',
      verifying({ node: toNewer, inspected: { onDiskState: { failure } } }),
      { kind: 'fail', failure },
    ],
    [
      'does not roll back a node that joins, which has no previous config',
      verifying({ ...invalid, node: toNewer }, { isJoining: true }),
      { kind: 'fail', failure },
    ],
    [
      'does not roll back without having heard of the cluster',
      verifying({ ...invalid, node: 'unknown' }),
      { kind: 'fail', failure },
    ],
    [
      'ends with a force file, which starts another update',
      verifying({ disk: { isForced: true } }),
      { kind: 'close-journal' },
    ],
  ]);
});

describe('decide, once another config is desired', () => {
  const redirected = (steps: readonly Step[], states: string, change: Partial<Journal> = {}) =>
    snapshot({ node: toNewer, disk: { journal: journal(steps, states, change) } });
  checkAll([
    [
      'abandons an update that has not changed anything',
      redirected(WITH_REBOOT, 'dwwww', { phase: 'preparing' }),
      { kind: 'abandon' },
    ],
    [
      'rolls back an update that has changed something',
      redirected(WITH_REBOOT, 'dbwww'),
      { kind: 'begin-rollback' },
    ],
    [
      'rolls back before the reboot is announced',
      redirected(WITH_REBOOT, 'ddddw'),
      { kind: 'begin-rollback' },
    ],
    ['continues once the reboot is announced', redirected(WITH_REBOOT, 'ddddb'), { kind: 'reboot' }],
    [
      'continues where only post actions are left',
      redirected(WITHOUT_REBOOT, 'ddw'),
      { kind: 'run-step', index: 2 },
    ],
    ['rolls back an update without a reboot', redirected(WITHOUT_REBOOT, 'dww'), { kind: 'begin-rollback' }],
    [
      'closes its journal without reporting that it is done',
      redirected(WITHOUT_REBOOT, 'ddd', { phase: 'completing' }),
      { kind: 'close-journal' },
    ],
    [
      'continues where the Node has no desired config at all',
      snapshot({
        node: { ...drained, desired: name('') },
        disk: { journal: journal(WITHOUT_REBOOT, 'www') },
      }),
      { kind: 'run-step', index: 0 },
    ],
  ]);
});

describe('decide, before the caches have synced', () => {
  const unsynced = (states: string, change: Partial<Journal> = {}) => at(states, { node: 'unknown' }, change);
  checkAll([
    ['continues to apply', unsynced('dbwww'), { kind: 'run-step', index: 1 }],
    ['reboots', unsynced('ddddb'), { kind: 'reboot' }],
    [
      'waits for the cluster before it reboots, for a minute',
      at('ddddb', { node: 'unknown', runsForMs: 1_000 }),
      { kind: 'wait', for: 'cluster', delayMs: 59_000 },
    ],
    [
      'reboots where it has not heard of the cluster for a minute',
      at('ddddb', { node: 'unknown', runsForMs: 60_000 }),
      { kind: 'reboot' },
    ],
    [
      'continues to apply without waiting for the cluster',
      at('dbwww', { node: 'unknown', runsForMs: 1_000 }),
      { kind: 'run-step', index: 1 },
    ],
    ['continues to roll back', unsynced('dbwww', { phase: 'undoing' }), { kind: 'undo-step', index: 1 }],
    ['verifies', unsynced('ddddd', { phase: 'verifying' }), { kind: 'inspect', what: 'onDiskState' }],
    ['begins no update', snapshot({ node: 'unknown' }), { kind: 'idle', isUpToDate: false }],
    ['changes nothing before the drain', unsynced('dwwww', { phase: 'preparing' }), { kind: 'idle' }],
    ['does not complete an update', unsynced('ddddd', { phase: 'completing' }), { kind: 'idle' }],
  ]);
});

describe('decide, after a failure', () => {
  const failing = { ...drained, state: 'Degraded' };
  const failure = { error: 'disk full' };
  const undoing = (states: string, change: SnapshotChange = {}, journalChange: Partial<Journal> = {}) =>
    at(states, { node: failing, ...change }, { phase: 'undoing', failure, ...journalChange });
  const inspected = (hasStaged: boolean, runsNew: boolean) => ({
    inspected: { rollbackOs: { hasStaged, runsNew } },
  });
  const osBooted = { osBootId: 'boot-0' };
  checkAll([
    ['rolls back a step that failed', at('ddbww', {}, { failure }), { kind: 'begin-rollback' }],
    [
      'rolls back a step that failed before another boot',
      at('ddbww', { bootId: 'boot-2' }, { failure }),
      { kind: 'begin-rollback' },
    ],
    [
      'rolls back a reboot that the machine refused',
      at('ddddb', {}, { failure }),
      { kind: 'begin-rollback' },
    ],
    [
      'drains a node that was uncordoned again before it reboots to the previous OS',
      undoing('uuuuu', { node: { ...failing, isSchedulable: true }, ...inspected(true, true) }, osBooted),
      { kind: 'withdraw-drain', config: 'new' },
    ],
    ['undoes the last step that began', undoing('ddbww'), { kind: 'undo-step', index: 2 }],
    ['undoes the step before one that is undone', undoing('dduww'), { kind: 'undo-step', index: 1 }],
    ['undoes a step before one that never began', undoing('ddbuw'), { kind: 'undo-step', index: 2 }],
    [
      'undoes also where another config is desired by now',
      undoing('ddbww', { node: toNewer }),
      { kind: 'undo-step', index: 2 },
    ],
    [
      'undoes the OS step once more after a boot, which may have lost the staged OS',
      undoing('uuuww', { bootId: 'boot-2' }),
      { kind: 'repeat-os-step', lostBoots: 1 },
    ],
    [
      'does not count a boot before the OS step is undone',
      undoing('ddbww', { bootId: 'boot-2' }),
      { kind: 'repeat-os-step', lostBoots: 0 },
    ],
    ['finishes where nothing had begun', undoing('wwwww'), { kind: 'finish-rollback' }],
    [
      'finishes where the machine has not booted since the OS step',
      undoing('uuuww', {}, { osBootId: 'boot-1' }),
      { kind: 'finish-rollback' },
    ],
    [
      'inspects the OS where the machine has booted since the OS step',
      undoing('uuuww', {}, osBooted),
      { kind: 'inspect', what: 'rollbackOs' },
    ],
    [
      'finishes where the previous OS runs',
      undoing('uuuww', inspected(false, false), osBooted),
      { kind: 'finish-rollback' },
    ],
    [
      'boots the previous OS that is staged',
      undoing('uuuww', inspected(true, true), osBooted),
      { kind: 'reboot-to-previous' },
    ],
    [
      'waits for the machine to go down',
      undoing('uuuww', { ...inspected(true, true), process: { isRebootRequested: true } }, osBooted),
      { kind: 'wait', for: 'reboot' },
    ],
    [
      'stages the previous OS again where it was dropped',
      undoing('uuuww', inspected(false, true), osBooted),
      { kind: 'repeat-os-step', lostBoots: 1 },
    ],
    [
      'fails after three boots without the previous OS',
      undoing('uuuww', inspected(true, true), { ...osBooted, lostBoots: 3 }),
      {
        kind: 'fail',
        failure: {
          error:
            'error rolling back changes to OS: [the machine booted 3 times without the staged OS of old, disk full]',
        },
      },
    ],
    [
      'names the failure of the last shutdown as the possible cause',
      undoing(
        'uuuww',
        { ...inspected(false, true), process: { finalizeFailure: 'no space' } },
        { ...osBooted, lostBoots: 3 },
      ),
      {
        kind: 'fail',
        failure: {
          error:
            'error rolling back changes to OS: [the machine booted 3 times without the staged OS of old; possible root cause: no space, disk full]',
        },
      },
    ],
    [
      'trusts the running image where the journal does not record the boot of the OS step',
      undoing('uuuww', inspected(true, false)),
      { kind: 'finish-rollback' },
    ],
  ]);
});
