import { describe, expect, it } from 'vitest';
import { aJournal } from '../../../test/support/a-journal.ts';
import { FORCE_FILE } from '../../api/index.ts';
import type { Step } from '../plan/index.ts';
import { decide, type NodeAnnotations, type NodeSnapshot } from './decide.ts';
import type { Repair, StateFacts } from './decide-repair.ts';
import { type Journal, type StepState, storedDuring } from './journal.ts';
import type { StateDamage } from './read-state.ts';

const name = (config: string) => ({ config, image: '' });
const NODE: NodeAnnotations = {
  current: name('old'),
  desired: name('new'),
  state: 'Working',
  drain: { requested: '', applied: '' },
};
const STORE: Step = { kind: 'store-config' };
const journal = (
  change: Partial<Journal> = {},
  steps: readonly Step[] = [STORE],
  state: StepState = 'waiting',
) => aJournal(steps, { states: steps.map(() => state), ...change });

const MATCHING: StateFacts = {
  hasUpdateConfigs: false,
  hasUpdateFiles: false,
  candidate: name('old'),
  hasStagedOs: false,
};

type Given = {
  readonly damage: StateDamage;
  readonly facts?: StateFacts;
  readonly disk?: Partial<NodeSnapshot['disk']>;
  readonly node?: NodeSnapshot['nodeAnnotations'];
};

function decided({ damage, facts, disk, node = NODE }: Given) {
  return decide({
    nodeAnnotations: node,
    disk: { isJoining: false, isForced: false, damage, ...disk },
    bootId: 'boot',
    nowMs: 0,
    process: {
      isStartedUp: false,
      isValidated: false,
      isRebootAnnounced: false,
      isRebootRequested: false,
      mayHaveDrifted: false,
    },
    settings: { drainLimitMs: 1, uncordonLimitMs: 1 },
    ...(facts !== undefined && { inspected: { state: facts } }),
  });
}

describe('damaged state', () => {
  it.each<[string, Given, Repair]>([
    ['a file as the folder of all state', { damage: { folder: 'f', journal: 'j' } }, 'remake-folder'],
    [
      'a journal, with both configs',
      { damage: { journal: 'j' }, facts: { ...MATCHING, hasUpdateConfigs: true, hasUpdateFiles: true } },
      'roll-back',
    ],
    [
      'a journal and the current config, with both configs',
      {
        damage: { journal: 'j', stored: 's' },
        facts: { hasUpdateConfigs: true, hasUpdateFiles: true, hasStagedOs: true },
      },
      'roll-back',
    ],
    [
      'a journal without a trace of an update',
      { damage: { journal: 'j' }, facts: MATCHING },
      'forget-update',
    ],
    ['a journal of a node that joins', { damage: { journal: 'j' }, disk: { isJoining: true } }, 'join-again'],
    [
      'configs of an update of a node that joins',
      { damage: { updateConfigs: 'u' }, disk: { isJoining: true, journal: journal() } },
      'join-again',
    ],
    [
      'configs of an update that has changed nothing',
      { damage: { updateConfigs: 'u' }, disk: { journal: journal({ phase: 'preparing' }) } },
      'forget-update',
    ],
    [
      'configs of an update, which are in the cluster',
      {
        damage: { updateConfigs: 'u' },
        disk: { journal: journal() },
        facts: { ...MATCHING, hasUpdateConfigs: true },
      },
      'rebuild-update-configs',
    ],
    [
      'the current config during an update',
      { damage: { stored: 's' }, disk: { journal: journal() } },
      'restore-stored',
    ],
    [
      'the current config, where the disk matches',
      { damage: { stored: 's' }, facts: MATCHING },
      'rebuild-stored',
    ],
    [
      'initial annotations, where the disk has a config',
      {
        damage: { initialAnnotations: 'i' },
        disk: { isJoining: true, stored: name('old') },
        node: { ...NODE, current: name('') },
      },
      'forget-initial-annotations',
    ],
  ])('is repaired: %s', (_, given, repair) => {
    expect(decided(given)).toMatchObject({ kind: 'repair', repair });
  });

  const uncertain: readonly [string, Given, string][] = [
    [
      'a journal, of whose update the configs are lost',
      { damage: { journal: 'J' }, facts: { ...MATCHING, hasUpdateFiles: true } },
      'J; an update was in progress, and its configs cannot be read either',
    ],
    [
      'a journal, where the disk does not match',
      { damage: { journal: 'J' }, facts: { ...MATCHING, mismatch: 'a differs' } },
      'J; the node should have old, but a differs',
    ],
    [
      'a journal, where an OS is staged',
      { damage: { journal: 'J' }, facts: { ...MATCHING, hasStagedOs: true } },
      'J; an OS is staged, and for which config is unknown',
    ],
    [
      'configs of an update that are nowhere',
      { damage: { updateConfigs: 'U' }, disk: { journal: journal() }, facts: MATCHING },
      'U; the config is not in the cluster',
    ],
    [
      'a current config that nothing names',
      {
        damage: { stored: 'S' },
        facts: { hasUpdateConfigs: false, hasUpdateFiles: false, hasStagedOs: false },
      },
      'S; which config the node has is unknown',
    ],
    [
      'a current config that the disk does not match',
      { damage: { stored: 'S' }, facts: { ...MATCHING, mismatch: 'a differs' } },
      'S; the node should have old, but a differs',
    ],
    [
      'initial annotations of a new machine',
      {
        damage: { initialAnnotations: 'I' },
        disk: { isJoining: true },
        node: { ...NODE, current: name('') },
        facts: MATCHING,
      },
      'I; with which config the machine was installed is unknown',
    ],
  ];

  it.each(uncertain)('is reported, with what mends it: %s', (_, given, text) => {
    const error = `${text}; to apply the desired config in full, whatever is there: millwright retry --force, or touch ${FORCE_FILE} on the node`;
    expect(decided(given)).toEqual({ kind: 'fail', failure: { error } });
  });

  it.each(uncertain)('is left behind where there is a force file: %s', (_, given) => {
    expect(decided({ ...given, disk: { ...given.disk, isForced: true } })).toMatchObject({
      kind: 'repair',
      repair: 'start-over',
    });
  });

  it('is repaired as usual where there is a force file but no need of it', () => {
    const given: Given = { damage: { stored: 's' }, facts: MATCHING, disk: { isForced: true } };
    expect(decided(given)).toMatchObject({ repair: 'rebuild-stored' });
  });

  it.each<[string, StateDamage, Partial<NodeSnapshot['disk']>?]>([
    ['a journal', { journal: 'j' }],
    ['the current config', { stored: 's' }],
    ['configs of an update', { updateConfigs: 'u' }, { journal: journal() }],
  ])('is looked into first: %s', (_, damage, disk = {}) => {
    expect(decided({ damage, disk })).toEqual({ kind: 'inspect', what: 'state' });
  });

  it('waits for the cluster, which may know more', () => {
    expect(decided({ damage: { journal: 'j' }, node: 'unknown' })).toMatchObject({ kind: 'idle' });
    expect(decided({ damage: { journal: 'j' }, node: 'deleted' })).toMatchObject({ kind: 'idle' });
  });

  it('that nothing reads is no concern', () => {
    expect(decided({ damage: { initialAnnotations: 'i' }, node: 'unknown' })).toEqual({ kind: 'start-up' });
    expect(decided({ damage: { initialAnnotations: 'i' }, disk: { isJoining: true } })).toEqual({
      kind: 'start-up',
    });
  });
});

describe('the config that is stored during an update', () => {
  it.each<[string, Journal, string]>([
    ['before the step', journal(), 'from'],
    ['within the step', journal({}, [STORE], 'begun'), 'from'],
    ['after the step', journal({}, [STORE], 'done'), 'to'],
    ['after its undo', journal({ phase: 'undoing' }, [STORE], 'undone'), 'from'],
    ['before the first config', journal({ hadConfig: false }), 'none'],
    ['of a node that joins without a step', journal({ hadConfig: false }, []), 'to'],
  ])('%s', (_, given, expected) => {
    expect(storedDuring(given)).toBe(expected);
  });
});
