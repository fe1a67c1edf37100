import { describe, expect, it } from 'vitest';
import { FILES_CHANGE } from '../../../test/support/a-journal.ts';
import { formatJournal, type Journal, lastStepToUndo, nextStep, parseJournal, withStep } from './journal.ts';

const change = { ...FILES_CHANGE, changedFiles: ['/etc/a'] };

const journal: Journal = {
  version: 1,
  phase: 'applying',
  hadConfig: true,
  isForced: false,
  isJoining: false,
  from: { config: 'old', image: '' },
  to: { config: 'new', image: 'example.com/os@sha256:1' },
  plan: {
    from: 'old',
    to: 'new',
    change,
    actions: [{ type: 'None' }],
    needsDrain: false,
    needsReboot: false,
    steps: [
      { kind: 'files', units: [] },
      { kind: 'store-config' },
      { kind: 'post-action', action: { type: 'None' } },
    ],
  },
  states: ['done', 'begun', 'waiting'],
  bootId: 'b',
  lostBoots: 0,
  pullTries: 0,
  askedMs: 5,
  failure: { error: 'rename a b: file exists', phase: 'files' },
};

describe('parseJournal rejects', () => {
  const other = (changed: object) => JSON.stringify({ ...journal, ...changed });
  it.each([
    ['nothing', ''],
    ['half of it', formatJournal(journal).slice(0, 200)],
    ['no object', '[]'],
    ['another version', other({ version: 2 })],
    ['an unknown phase', other({ phase: 'sleeping' })],
    ['a state too few', other({ states: ['done'] })],
    ['an unknown state', other({ states: ['done', 'done', 'perhaps'] })],
    ['no target', other({ to: 'new' })],
    ['no boot', other({ bootId: 5 })],
    [
      'an unknown step',
      other({ plan: { ...journal.plan, steps: journal.plan.steps.map(() => ({ kind: 'rest' })) } }),
    ],
    [
      'files without units',
      other({ plan: { ...journal.plan, steps: journal.plan.steps.map(() => ({ kind: 'files' })) } }),
    ],
    [
      'a restart of nothing',
      other({
        plan: {
          ...journal.plan,
          steps: journal.plan.steps.map(() => ({ kind: 'post-action', action: { type: 'Restart' } })),
        },
      }),
    ],
    ['no change', other({ plan: { ...journal.plan, change: {} } })],
    ['no count', other({ lostBoots: 'many' })],
    ['no hashes', other({ hashes: { core: 5 } })],
    ['no failure', other({ failure: 'yes' })],
  ])('%s', (_, text) => {
    expect(() => parseJournal(text)).toThrow(/journal\.json cannot be read/);
  });
});

describe('the journal', () => {
  it('is read as it was written', () => {
    expect(parseJournal(formatJournal(journal))).toEqual(journal);
  });
  it('finds the next step, and the first one to undo', () => {
    expect(nextStep(journal)).toBe(1);
    expect(lastStepToUndo(journal)).toBe(1);
    const all = withStep(withStep(journal, 1, 'done'), 2, 'done');
    expect([nextStep(all), lastStepToUndo(all)]).toEqual([undefined, 2]);
    const none = withStep(withStep(journal, 1, 'undone'), 0, 'undone');
    expect(lastStepToUndo(none)).toBe(undefined);
  });
});
