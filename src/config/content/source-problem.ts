/** A problem, and the MachineConfig in which it was found. */
import type { Problem } from '../../base/errors.ts';

export type SourceProblem = Problem & {
  /** Absent when the problem concerns the pool or the sum of its MachineConfigs. */
  readonly source?: string;
  /** The text in a pool's condition, where it differs from the message. */
  readonly text?: string;
};
