import { describe, expect, test } from 'vitest';
import { drainProgress, type UpdateNeedInput, updateNeed } from './update-need.ts';

const at = (config: string, image = '') => ({ config, image });
const need = (input: Partial<UpdateNeedInput>) =>
  updateNeed({ current: at('a'), desired: at('a'), state: 'Done', ...input });

describe('a node', () => {
  test('that is where it should be has nothing to do', () => {
    expect(need({})).toEqual({ kind: 'none' });
    expect(need({ disk: at('a') })).toEqual({ kind: 'none' });
    expect(updateNeed({ current: at('a'), desired: at('a') })).toEqual({ kind: 'none' });
  });

  test.each(['Working', 'Degraded', 'Unreconcilable'])(
    'that is where it should be but %s updates to the same config (edge case 2)',
    (state) => {
      expect(need({ state })).toEqual({
        kind: 'update',
        from: at('a'),
        to: at('a'),
        log: `current+desiredConfig is a but state is ${state}`,
      });
    },
  );

  test('that should be elsewhere updates, also by its image alone', () => {
    expect(need({ desired: at('b') })).toEqual({ kind: 'update', from: at('a'), to: at('b') });
    expect(need({ desired: at('a', 'i') })).toEqual({ kind: 'update', from: at('a'), to: at('a', 'i') });
    expect(need({ current: at('a', 'i') })).toEqual({ kind: 'update', from: at('a', 'i'), to: at('a') });
  });

  test('is where its disk says, whatever the cluster believes (edge case 1)', () => {
    expect(need({ disk: at('c'), desired: at('b') })).toMatchObject({ from: at('c'), to: at('b') });
    expect(need({ disk: at('b'), current: at('a'), desired: at('b') })).toMatchObject({
      kind: 'update',
      from: at('b'),
      to: at('b'),
    });
  });
});

describe('a drain (edge case 19)', () => {
  test('that is asked for and not answered is waited for, not asked for again', () => {
    const asked = { desired: at('b'), desiredDrain: 'drain-b', lastAppliedDrain: 'uncordon-a' };
    expect(need(asked).kind).toBe('wait');
    expect(drainProgress('b', asked)).toBe('asked');
    expect(need({ ...asked, lastAppliedDrain: 'drain-b' }).kind).toBe('update');
    expect(drainProgress('b', { ...asked, lastAppliedDrain: 'drain-b' })).toBe('done');
  });

  test('for another config is overtaken, and another one has to be asked for', () => {
    const asked = { desired: at('c'), desiredDrain: 'drain-b', lastAppliedDrain: 'uncordon-a' };
    expect(need(asked).kind).toBe('update');
    expect(drainProgress('c', asked)).toBe('not-asked');
    expect(drainProgress('c', { ...asked, lastAppliedDrain: 'drain-b' })).toBe('not-asked');
  });

  test('that was undone since has to be asked for again', () => {
    expect(drainProgress('b', { desiredDrain: 'uncordon-b', lastAppliedDrain: 'drain-b' })).toBe('not-asked');
    expect(drainProgress('b', {})).toBe('not-asked');
  });

  test('of which nothing can be understood is not waited for', () => {
    expect(need({ desiredDrain: 'nonsense' }).kind).toBe('none');
    expect(need({ desiredDrain: 'uncordon-a', lastAppliedDrain: '' }).kind).toBe('wait');
  });
});
