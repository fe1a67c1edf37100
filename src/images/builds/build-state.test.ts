import { describe, expect, test } from 'vitest';
import type { MachineOSBuild } from '../../api/index.ts';
import { type BuildState, buildStateOf } from '../../rollout/index.ts';
import { buildConditions, mayBecome } from './build-state.ts';

const NOW = '2026-01-02T03:04:05Z';
const fresh = { metadata: { name: 'infra-1' } } as unknown as MachineOSBuild;
const inState = (state: BuildState, at = NOW, cause?: string) =>
  ({
    ...fresh,
    status: { conditions: buildConditions(fresh, state, { now: at, ...(cause ? { cause } : {}) }) },
  }) as unknown as MachineOSBuild;

describe('buildConditions', () => {
  test('always has all five, with reasons and messages that do not depend on the status', () => {
    expect(buildConditions(fresh, 'Initial', { now: NOW })).toEqual([
      condition('Prepared', 'Prepared', 'Build Prepared and Pending'),
      condition('Building', 'Building', 'Image Build In Progress'),
      condition('Failed', 'Failed', 'Build Failed'),
      condition('Interrupted', 'Interrupted', 'Build Interrupted'),
      condition('Succeeded', 'Ready', 'Build Ready'),
    ]);
  });

  test('puts the cause behind the message of the state alone', () => {
    const messages = buildConditions(fresh, 'Failed', { now: NOW, cause: 'pushing x: denied' }).map(
      ({ message }) => message,
    );
    expect(messages).toContain('Build Failed: pushing x: denied');
    expect(messages).toContain('Build Interrupted');
  });

  test('moves times only with the status', () => {
    const later = '2026-01-02T04:00:00Z';
    const times = buildConditions(inState('Building'), 'Succeeded', { now: later }).map(
      ({ type, lastTransitionTime }) => [type, lastTransitionTime],
    );
    expect(Object.fromEntries(times)).toEqual({
      Prepared: NOW,
      Building: later,
      Failed: NOW,
      Interrupted: NOW,
      Succeeded: later,
    });
  });
});

test.each(['Initial', 'Prepared', 'Building', 'Succeeded', 'Failed', 'Interrupted'] as const)(
  'buildStateOf reads %s back from its conditions',
  (state) => {
    expect(buildStateOf(inState(state))).toBe(state);
  },
);

describe('mayBecome', () => {
  const states = ['Initial', 'Prepared', 'Building', 'Succeeded', 'Failed', 'Interrupted'] as const;
  const allowed = new Set([
    ...['Prepared', 'Building', 'Succeeded', 'Failed', 'Interrupted'].map((to) => `Initial ${to}`),
    ...['Building', 'Succeeded', 'Failed', 'Interrupted'].map((to) => `Prepared ${to}`),
    ...['Succeeded', 'Failed', 'Interrupted'].map((to) => `Building ${to}`),
  ]);
  test.each(states.flatMap((from) => states.map((to) => [from, to] as const)))('%s to %s', (from, to) => {
    expect(mayBecome(from, to)).toBe(allowed.has(`${from} ${to}`));
  });
});

function condition(type: string, reason: string, message: string) {
  return { type, status: 'False', reason, message, lastTransitionTime: NOW };
}
