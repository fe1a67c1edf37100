import type { SourcePatch } from '../../scripts/sim/source-patch.ts';

/** A known mistake, as a change of the sources. The simulator has to catch it: see docs/simulation.md. */
export type Mutant = {
  readonly name: string;
  /** What goes wrong for users. */
  readonly why: string;
  /** Where it is known from: the number of what users of other operators ask for, or the matter of our own. */
  readonly ask: number | string;
  readonly patches: readonly SourcePatch[];
  /** Where it was caught last, tried first: at most 1,000. */
  readonly seed?: number;
};
