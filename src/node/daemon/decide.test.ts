import { describe, expect, it } from 'vitest';
import type { PostAction, Step } from '../plan/index.ts';
import { type Decision, decide, type NodeWords, type Seen } from './decide.ts';
import type { Journal, StepState } from './journal.ts';

const place = (config: string, image = '') => ({ config, image });
const HOUR = 3_600_000;

const words = (change: Partial<NodeWords> = {}): NodeWords => ({
  current: place('old'),
  desired: place('old'),
  state: 'Done',
  drain: { requested: 'uncordon-old', applied: 'uncordon-old' },
  ...change,
});

const files: Step = { kind: 'files', units: [] };
const os: Step = { kind: 'os', reasons: ['Upgrading OS'] };
const store: Step = { kind: 'store-config' };
const drain: Step = { kind: 'drain' };
const action = (type: 'Reboot' | 'None'): Step => ({ kind: 'post-action', action: { type } as PostAction });

const WITH_REBOOT: readonly Step[] = [drain, files, os, store, action('Reboot')];
const WITHOUT: readonly Step[] = [files, store, action('None')];

function journal(steps: readonly Step[], states: string, change: Partial<Journal> = {}): Journal {
  const named: Readonly<Record<string, StepState>> = { w: 'waiting', b: 'begun', d: 'done', u: 'undone' };
  const none = {
    ...{ osImage: false, kernelArguments: false, fips: false, passwd: false, files: true, units: false },
    ...{ kernelType: false, extensions: false, isLayered: false, leavesImageMode: false },
    ...{ changedFiles: [], changedUnits: [] },
  };
  return {
    ...{ version: 1, phase: 'applying', from: place('old'), to: place('new'), hadConfig: true },
    ...{ isForced: false, isJoining: false, bootId: 'boot-1', lostBoots: 0, pullTries: 0, askedMs: 0 },
    plan: {
      ...{ from: 'old', to: 'new', change: none, actions: [], needsDrain: steps.includes(drain) },
      ...{ needsReboot: steps.some(({ kind }) => kind === 'drain'), steps },
    },
    states: [...states].map((letter) => named[letter] ?? 'waiting'),
    ...change,
  };
}

function seen(change: {
  readonly words?: Partial<NodeWords> | 'gone' | 'unknown';
  readonly disk?: Partial<Seen['disk']>;
  readonly process?: Partial<Seen['process']>;
  readonly bootId?: string;
  readonly nowMs?: number;
}): Seen {
  return {
    words: typeof change.words === 'string' ? change.words : words(change.words),
    disk: { stored: place('old'), isJoining: false, isForced: false, ...change.disk },
    bootId: change.bootId ?? 'boot-1',
    nowMs: change.nowMs ?? 1_000,
    process: {
      ...{ isCleanedUp: true, isValidated: true, isRebootAsked: false, mayHaveDrifted: false },
      ...change.process,
    },
    settings: { drainLimitMs: HOUR, uncordonLimitMs: HOUR / 6 },
  };
}

/** Words of a node that is on its way. */
const toNew = { desired: place('new'), state: 'Working' };
const drainAsked = { ...toNew, drain: { requested: 'drain-new', applied: 'uncordon-old' } };
const drainedNew = { ...drainAsked, drain: { requested: 'drain-new', applied: 'drain-new' } };
const withoutStored = { isJoining: false, isForced: false };

type Row = readonly [what: string, seen: Seen, decision: Partial<Decision>];

describe('without an update under way', () => {
  const rows: readonly Row[] = [
    ['a node that is gone is left alone', seen({ words: 'gone' }), { kind: 'idle', isUpToDate: false }],
    ['a daemon that starts sweeps up first', seen({ process: { isCleanedUp: false } }), { kind: 'clean-up' }],
    [
      'a machine that joins introduces itself',
      seen({ disk: { isJoining: true }, words: { current: place('') } }),
      { kind: 'introduce' },
    ],
    ['once it has, it settles in', seen({ disk: { isJoining: true } }), { kind: 'settle-in' }],
    [
      'a Node made anew is told what the disk holds',
      seen({ words: { current: place(''), desired: place('') } }),
      { kind: 'introduce' },
    ],
    [
      'a Node that has lost what is wanted of it is told so, too',
      seen({ words: { desired: place('') } }),
      { kind: 'introduce' },
    ],
    [
      'a machine without any config says so, or nobody would send it anywhere',
      { ...seen({ words: { current: place(''), desired: place('') } }), disk: withoutStored },
      { kind: 'introduce' },
    ],
    [
      'a machine that is wanted to have its first config is adopted',
      { ...seen({ words: { current: place(''), desired: place('new'), state: '' } }), disk: withoutStored },
      { kind: 'start' },
    ],
    ['a daemon validates once', seen({ process: { isValidated: false } }), { kind: 'validate' }],
    ['a node that is done has nothing to do', seen({}), { kind: 'idle', isUpToDate: true }],
    [
      'a state that was never said counts as done',
      seen({ words: { state: '' } }),
      { kind: 'idle', isUpToDate: true },
    ],
    [
      'what may have drifted is looked at',
      seen({ process: { mayHaveDrifted: true } }),
      { kind: 'check-drift' },
    ],
    ['another desired config starts an update', seen({ words: toNew }), { kind: 'start' }],
    ['so does another desired image', seen({ words: { desired: place('old', 'image') } }), { kind: 'start' }],
    [
      'a degraded node heals by an update to where it is',
      seen({ words: { state: 'Degraded' } }),
      { kind: 'start' },
    ],
    ['so does an unreconcilable one', seen({ words: { state: 'Unreconcilable' } }), { kind: 'start' }],
    [
      'a node that says Working and has no journal does too',
      seen({ words: { state: 'Working' } }),
      { kind: 'start' },
    ],
    ['the disk wins over the annotation', seen({ words: { current: place('older') } }), { kind: 'start' }],
    ['a force file starts an update', seen({ disk: { isForced: true } }), { kind: 'start' }],
  ];
  it.each(rows)('%s', (_, given, expected) => {
    expect(decide(given)).toMatchObject(expected);
  });
});

describe('an update that goes forward', () => {
  const at = (states: string, given: Parameters<typeof seen>[0], change: Partial<Journal> = {}) =>
    seen({
      words: drainedNew,
      ...given,
      disk: { journal: journal(WITH_REBOOT, states, change), ...given.disk },
    });
  const preparing = { phase: 'preparing' } as const;
  const rows: readonly Row[] = [
    ['asks for the drain', at('wwwww', { words: toNew }, preparing), { kind: 'ask-drain' }],
    [
      'waits for the drain',
      at('wwwww', { words: drainAsked }, preparing),
      { kind: 'wait', for: 'drain', delayMs: HOUR - 1_000 },
    ],
    [
      'says so when that takes too long',
      at('wwwww', { words: drainAsked, nowMs: HOUR }, preparing),
      { kind: 'overdue', for: 'drain' },
    ],
    [
      'and then waits without a limit',
      at('wwwww', { words: { ...drainAsked, state: 'Degraded' }, nowMs: 2 * HOUR }, preparing),
      { kind: 'wait', for: 'drain' },
    ],
    ['notes that it is drained', at('wwwww', {}, preparing), { kind: 'drained', index: 0 }],
    ['says that it applies', at('dwwww', {}, preparing), { kind: 'apply' }],
    ['writes the files', at('dwwww', {}), { kind: 'run', index: 1 }],
    ['writes them again where that was cut short', at('dbwww', {}), { kind: 'run', index: 1 }],
    ['stages the OS', at('ddwww', {}), { kind: 'run', index: 2 }],
    [
      'waits before it pulls again',
      at('ddbww', { process: { pullAtMs: 5_000 } }),
      { kind: 'wait', for: 'pull', delayMs: 4_000 },
    ],
    [
      'does not wait for a clock that was set back',
      at('ddbww', { process: { pullAtMs: 24 * 60 * 60_000 } }),
      { kind: 'run', index: 2 },
    ],
    ['stores the config', at('dddww', {}), { kind: 'run', index: 3 }],
    ['announces the reboot', at('ddddw', {}), { kind: 'announce-reboot', index: 4 }],
    ['reboots', at('ddddb', {}), { kind: 'reboot' }],
    [
      'waits for the machine to go down',
      at('ddddb', { process: { isRebootAsked: true } }),
      { kind: 'wait', for: 'reboot' },
    ],
    ['notices that it has booted', at('ddddb', { bootId: 'boot-2' }), { kind: 'boot-noticed' }],
    ['notices a boot that nobody asked for', at('ddwww', { bootId: 'boot-2' }), { kind: 'boot-noticed' }],
    ['has done everything', at('ddddd', {}), { kind: 'finish' }],
    ['looks at what has booted', at('ddddd', {}, { phase: 'verifying' }), { kind: 'verify' }],
    [
      'gives way to a force file once its config is stored',
      at('ddddd', { disk: { isForced: true } }, { phase: 'verifying' }),
      { kind: 'close' },
    ],
    ['does not heed one before', at('dwwww', { disk: { isForced: true } }), { kind: 'run', index: 1 }],
    ['asks to be uncordoned', at('ddddd', {}, { phase: 'completing' }), { kind: 'ask-uncordon' }],
    [
      'waits for that',
      at(
        'ddddd',
        { words: { ...toNew, drain: { requested: 'uncordon-new', applied: 'uncordon-old' } } },
        { phase: 'completing' },
      ),
      { kind: 'wait', for: 'uncordon', delayMs: HOUR / 6 - 1_000 },
    ],
    [
      'says so when that takes too long',
      at(
        'ddddd',
        { words: { ...toNew, drain: { requested: 'uncordon-new', applied: 'uncordon-old' } }, nowMs: HOUR },
        { phase: 'completing' },
      ),
      { kind: 'overdue', for: 'uncordon' },
    ],
    [
      'says that it is done',
      at(
        'ddddd',
        { words: { ...toNew, drain: { requested: 'uncordon-new', applied: 'uncordon-new' } } },
        { phase: 'completing' },
      ),
      { kind: 'say-done' },
    ],
    [
      'and closes its journal once that stands on the Node',
      at(
        'ddddd',
        {
          words: {
            current: place('new'),
            desired: place('new'),
            state: 'Done',
            drain: { requested: 'uncordon-new', applied: 'uncordon-new' },
          },
        },
        { phase: 'completing' },
      ),
      { kind: 'close' },
    ],
  ];
  it.each(rows)('%s', (_, given, expected) => {
    expect(decide(given)).toMatchObject(expected);
  });
});

describe('an update whose target is no longer wanted', () => {
  const elsewhere = { ...drainedNew, desired: place('newer') };
  const at = (steps: readonly Step[], states: string, change: Partial<Journal> = {}) =>
    seen({ words: elsewhere, disk: { journal: journal(steps, states, change) } });
  const rows: readonly Row[] = [
    [
      'is abandoned before anything is touched',
      at(WITH_REBOOT, 'dwwww', { phase: 'preparing' }),
      { kind: 'abandon' },
    ],
    ['turns back once something is', at(WITH_REBOOT, 'dbwww'), { kind: 'turn-back' }],
    ['turns back before a reboot is announced', at(WITH_REBOOT, 'ddddw'), { kind: 'turn-back' }],
    ['goes on once the reboot is announced', at(WITH_REBOOT, 'ddddb'), { kind: 'reboot' }],
    ['goes on where only actions are left', at(WITHOUT, 'ddw'), { kind: 'run', index: 2 }],
    ['turns back without a reboot too', at(WITHOUT, 'dww'), { kind: 'turn-back' }],
    ['ends without saying that it is done', at(WITHOUT, 'ddd', { phase: 'completing' }), { kind: 'close' }],
    [
      'is looked at after the boot all the same',
      at(WITH_REBOOT, 'ddddd', { phase: 'verifying' }),
      { kind: 'verify' },
    ],
    [
      'is not so because the Node says nothing',
      seen({ words: { ...drainedNew, desired: place('') }, disk: { journal: journal(WITHOUT, 'www') } }),
      { kind: 'run', index: 0 },
    ],
  ];
  it.each(rows)('%s', (_, given, expected) => {
    expect(decide(given)).toMatchObject(expected);
  });
});

describe('a daemon that has not heard of the cluster', () => {
  const at = (states: string, change: Partial<Journal> = {}) =>
    decide(seen({ words: 'unknown', disk: { journal: journal(WITH_REBOOT, states, change) } }));
  it('brings to an end what is half done', () => {
    expect(at('dbwww')).toEqual({ kind: 'run', index: 1 });
    expect(at('ddddb')).toEqual({ kind: 'reboot' });
    expect(at('dbwww', { phase: 'undoing' })).toEqual({ kind: 'undo', index: 1 });
    expect(at('ddddd', { phase: 'verifying' })).toEqual({ kind: 'verify' });
  });
  it('begins nothing', () => {
    expect(at('dwwww', { phase: 'preparing' })).toMatchObject({ kind: 'idle' });
    expect(at('ddddd', { phase: 'completing' })).toMatchObject({ kind: 'idle' });
    expect(decide(seen({ words: 'unknown' }))).toMatchObject({ kind: 'idle', isUpToDate: false });
  });
});

describe('an update that failed', () => {
  const failing = { ...drainedNew, state: 'Degraded' };
  const at = (states: string, words: Partial<NodeWords> = failing, bootId = 'boot-1') =>
    decide(seen({ words, disk: { journal: journal(WITH_REBOOT, states, { phase: 'undoing' }) }, bootId }));
  it('notices a boot first, since what was staged for the way back may be lost', () => {
    expect(at('ddbww', failing, 'boot-2')).toEqual({ kind: 'boot-noticed' });
    expect(at('uuuww', failing, 'boot-2')).toEqual({ kind: 'boot-noticed' });
  });
  it('is undone from its last step that began', () => {
    expect(at('ddbww')).toEqual({ kind: 'undo', index: 2 });
    expect(at('dduww')).toEqual({ kind: 'undo', index: 1 });
    expect(at('ddbuw')).toEqual({ kind: 'undo', index: 2 });
  });
  it('is given up once nothing of it is left', () => {
    expect(at('uuuww')).toEqual({ kind: 'give-up' });
    expect(at('wwwww')).toEqual({ kind: 'give-up' });
  });
  it('is undone also when another config is wanted meanwhile', () => {
    expect(at('ddbww', { ...drainedNew, desired: place('newer') })).toEqual({ kind: 'undo', index: 2 });
  });
});
