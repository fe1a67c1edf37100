import { describe, expect, it } from 'vitest';
import { aJournal } from '../../../../test/support/a-journal.ts';
import { decide, type NodeSnapshot } from '../decide.ts';
import { decideRetry, dueAnswer, forcedRequest, isForced } from './decide-retry.ts';

const name = (config: string) => ({ config, image: '' });

type Given = {
  readonly requested?: string;
  readonly answered?: string;
  readonly state?: string;
  readonly disk?: Partial<NodeSnapshot['disk']>;
  readonly process?: Partial<NodeSnapshot['process']>;
};

function given({ requested = '', answered = '', state = 'Done', disk, process }: Given): NodeSnapshot {
  return {
    nodeAnnotations: {
      current: name('old'),
      desired: name('old'),
      state,
      drain: { requested: '', applied: '' },
      retry: { requested, answered },
    },
    disk: { stored: name('old'), isJoining: false, isForced: false, ...disk },
    bootId: 'boot',
    nowMs: 1_000,
    process: {
      isStartedUp: true,
      isValidated: true,
      isRebootAnnounced: false,
      isRebootRequested: false,
      mayHaveDrifted: false,
      ...process,
    },
    settings: { drainLimitMs: 1, uncordonLimitMs: 1 },
  };
}

const journalOf = (retry?: string) =>
  aJournal([{ kind: 'store-config' }], retry === undefined ? {} : { retry });

describe('a request to try again', () => {
  it.each([
    ['there is none', {}],
    ['it is answered', { requested: 'a', answered: 'a' }],
    ['this process has taken it up', { requested: 'a', process: { retried: 'a' } }],
    ['it is no request', { requested: 'not a word' }],
    [
      'the update in progress has taken it up',
      { requested: 'force-a', disk: { journal: journalOf('force-a') } },
    ],
    [
      'an update has completed it, and the answer got lost',
      { requested: 'force-a', disk: { retried: 'force-a' } },
    ],
  ] satisfies readonly (readonly [string, Given])[])('is not taken up where %s', (_, snapshot) => {
    expect(decideRetry(given(snapshot))).toBeUndefined();
    expect(decide(given(snapshot)).kind).not.toBe('begin-retry');
  });

  it('is taken up before anything else is decided', () => {
    const request = { kind: 'begin-retry', request: 'b', isForced: false };
    expect(decide(given({ requested: 'b', answered: 'a' }))).toEqual(request);
    expect(decide(given({ requested: 'b', disk: { damage: { stored: 'S' } } }))).toEqual(request);
    expect(decide(given({ requested: 'b', disk: { journal: journalOf() } }))).toEqual(request);
    // By a process that has just begun, too.
    expect(decide(given({ requested: 'b', process: { isStartedUp: false } }))).toEqual(request);
  });

  it('is ignored while the Node is not known', () => {
    for (const nodeAnnotations of ['deleted', 'unknown'] as const) {
      expect(decideRetry({ ...given({ requested: 'a' }), nodeAnnotations })).toBeUndefined();
      expect(isForced({ ...given({ requested: 'force-a' }), nodeAnnotations })).toBe(false);
    }
  });

  it('lets the update in progress begin its tries and boots anew', () => {
    const journal = { ...journalOf(), pullTries: 3, lostBoots: 3 };
    expect(decideRetry(given({ requested: 'a', disk: { journal } }))?.journal).toEqual(journalOf());
    // Nothing is written before what a power cut left is put away.
    const early = given({ requested: 'a', disk: { journal }, process: { isStartedUp: false } });
    expect(decideRetry(early)?.journal).toBeUndefined();
  });

  it('is answered once this process has taken it up', () => {
    expect(dueAnswer(given({ requested: 'a' }))).toBeUndefined();
    expect(dueAnswer(given({ requested: 'a', process: { retried: 'a' } }))).toBe('a');
    expect(dueAnswer(given({ requested: 'b', process: { retried: 'a' } }))).toBeUndefined();
    expect(dueAnswer(given({ requested: 'a', answered: 'a', process: { retried: 'a' } }))).toBeUndefined();
  });
});

describe('a request to apply everything again', () => {
  const taken = { process: { retried: 'force-a' } };

  it('counts as a force file until an update has it in its journal', () => {
    const pending = given({ requested: 'force-a', ...taken });
    expect([isForced(pending), forcedRequest(pending)]).toEqual([true, 'force-a']);
    expect(decide(pending)).toEqual({ kind: 'start-update' });
    const begun = given({ requested: 'force-a', ...taken, disk: { journal: journalOf('force-a') } });
    expect([isForced(begun), forcedRequest(begun)]).toEqual([false, undefined]);
  });

  it('is not answered before that, and from then on also by another process', () => {
    expect(dueAnswer(given({ requested: 'force-a', ...taken }))).toBeUndefined();
    expect(dueAnswer(given({ requested: 'force-a', disk: { journal: journalOf('force-a') } }))).toBe(
      'force-a',
    );
    expect(dueAnswer(given({ requested: 'force-a', disk: { retried: 'force-a' } }))).toBe('force-a');
  });

  it('ends a verification that fails, as a force file does', () => {
    const journal = { ...journalOf(), phase: 'verifying' } as const;
    const verifying = given({ requested: 'force-a', ...taken, disk: { journal } });
    expect(decide(verifying)).toEqual({ kind: 'close-journal' });
  });

  it('has damaged state started over, as a force file does', () => {
    const facts = { hasUpdateConfigs: false, hasUpdateFiles: false, hasStagedOs: false };
    const damaged = given({ requested: 'force-a', ...taken, disk: { damage: { stored: 'S' } } });
    expect(decide({ ...damaged, inspected: { state: facts } })).toMatchObject({ repair: 'start-over' });
  });

  it('does not end an update that is in progress', () => {
    const journal = { ...journalOf(), to: name('old') };
    const applying = given({ requested: 'force-a', ...taken, disk: { journal } });
    expect(decide(applying)).toEqual({ kind: 'run-step', index: 0 });
  });

  it('leaves a force file what it is', () => {
    const both = given({ disk: { isForced: true } });
    expect([isForced(both), forcedRequest(both)]).toEqual([true, undefined]);
  });
});
