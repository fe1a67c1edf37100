/**
 * The states of a build and the conditions that express them.
 *
 *     Initial ─> Prepared ─> Building ─> Succeeded | Failed | Interrupted
 *
 * Final states never change: the API refuses it, and controllers have acted on them. A retry is a new object.
 */
import type { MachineOSBuild } from '../../api/index.ts';
import { objectsAt, stringAt } from '../../base/json-fields.ts';
import type { Condition } from '../../kubernetes/meta/index.ts';
import type { BuildState } from '../../rollout/index.ts';

export function isFinal(state: BuildState): boolean {
  return state === 'Succeeded' || state === 'Failed' || state === 'Interrupted';
}

/** Whether a build in one state may be reported in another: never back, and never out of a final state. */
export function mayBecome(from: BuildState, to: BuildState): boolean {
  return !isFinal(from) && ORDER.indexOf(to) > ORDER.indexOf(from);
}

const ORDER: readonly BuildState[] = [
  'Initial',
  'Prepared',
  'Building',
  'Interrupted',
  'Failed',
  'Succeeded',
];

type ConditionText = { readonly reason: string; readonly message: string };

/** In the order of upstream's builder. */
const TEXTS: { readonly [State in Exclude<BuildState, 'Initial'>]: ConditionText } = {
  Prepared: { reason: 'Prepared', message: 'Build Prepared and Pending' },
  Building: { reason: 'Building', message: 'Image Build In Progress' },
  Failed: { reason: 'Failed', message: 'Build Failed' },
  Interrupted: { reason: 'Interrupted', message: 'Build Interrupted' },
  Succeeded: { reason: 'Ready', message: 'Build Ready' },
};

/**
 * All five conditions, always together. The cause of a failure follows the message; times move only with the status.
 */
export function buildConditions(
  before: MachineOSBuild,
  state: BuildState,
  { now, cause = '' }: { readonly now: string; readonly cause?: string },
): readonly Condition[] {
  return Object.entries(TEXTS).map(([type, { reason, message }]) => {
    const status = type === state ? 'True' : 'False';
    const last = objectsAt(before, 'status', 'conditions').find((one) => one.type === type);
    const time = last?.status === status ? stringAt(last, 'lastTransitionTime') : '';
    return {
      type,
      status,
      reason,
      message: type === state && cause !== '' ? `${message}: ${cause}` : message,
      lastTransitionTime: time === '' ? now : time,
    };
  });
}
