/** The journal of an update from `old` to `new` whose steps have not begun. */
import type { Journal } from '../../src/node/daemon/journal.ts';
import type { Step } from '../../src/node/plan/index.ts';

/** Of an update that changes files alone. */
export const FILES_CHANGE = {
  osImage: false,
  kernelArguments: false,
  fips: false,
  passwd: false,
  files: true,
  units: false,
  kernelType: false,
  extensions: false,
  isLayered: false,
  leavesImageMode: false,
  changedFiles: [],
  changedUnits: [],
};

export function aJournal(steps: readonly Step[], change: Partial<Journal> = {}): Journal {
  const needsDrain = steps.some(({ kind }) => kind === 'drain');
  return {
    version: 1,
    phase: 'applying',
    from: { config: 'old', image: '' },
    to: { config: 'new', image: '' },
    hadConfig: true,
    isForced: false,
    isJoining: false,
    // A drain is for a reboot in these plans.
    plan: {
      from: 'old',
      to: 'new',
      change: FILES_CHANGE,
      steps,
      actions: [],
      needsDrain,
      needsReboot: needsDrain,
    },
    states: steps.map(() => 'waiting'),
    bootId: 'boot',
    lostBoots: 0,
    pullTries: 0,
    ...change,
  };
}
