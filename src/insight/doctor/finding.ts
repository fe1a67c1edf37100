/**
 * What the doctor found: a cause with its evidence, and what to do next.
 */

/**
 * How far a cause blocks, in the order in which causes are named: nothing runs, nothing is rendered, nothing is built, no node
 * of a pool may go, a node is stuck, something else is wrong.
 */
export const STAGES = ['cluster', 'render', 'build', 'rollout', 'node', 'other'] as const;
export type Stage = (typeof STAGES)[number];

export type ObjectName = { readonly kind: string; readonly name: string; readonly namespace?: string };

/** A field of an object with its value, and since when it has that. */
export type Evidence = {
  readonly object: ObjectName;
  readonly field: string;
  readonly value: string;
  /** RFC 3339. */
  readonly since?: string;
};

/** A command for a shell. */
export type NextCommand = { readonly command: string; readonly why: string };

export type Finding = {
  /** Stable: scripts, alerts and docs/troubleshooting.md refer to it. */
  readonly code: string;
  readonly stage: Stage;
  /** `warning`: nothing is blocked by it. */
  readonly severity: 'blocks' | 'warning';
  /** One sentence without its end. */
  readonly cause: string;
  readonly about: ObjectName;
  /** The pools that it holds up, or of the stage `other` concerns; empty for all of them. */
  readonly pools: readonly string[];
  /** RFC 3339. */
  readonly since?: string;
  readonly evidence: readonly Evidence[];
  readonly next: readonly NextCommand[];
  /** Other objects of the same pool with the same cause. */
  readonly also?: readonly ObjectName[];
};

/** What a rule returns; its stage and severity are those of the rule unless it says otherwise. */
export type Found = Omit<Finding, 'stage' | 'severity' | 'also'> &
  Partial<Pick<Finding, 'stage' | 'severity'>>;
