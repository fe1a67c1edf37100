/**
 * Known mistakes, each of which the simulator has to catch: `npm run test:mutants`.
 */
import { buildMutants } from './builds.ts';
import { cordonMutants } from './cordons.ts';
import { drainMutants } from './drains.ts';
import { machineMutants } from './machines.ts';
import type { Mutant } from './mutant.ts';
import { reportMutants } from './reports.ts';
import { slotMutants } from './slots.ts';

export type { Mutant } from './mutant.ts';

export const MUTANTS: readonly Mutant[] = [
  ...cordonMutants,
  ...drainMutants,
  ...slotMutants,
  ...machineMutants,
  ...reportMutants,
  ...buildMutants,
];
