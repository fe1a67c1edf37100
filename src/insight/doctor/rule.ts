/**
 * A rule: a predicate over the facts of a cluster. It looks at objects that nobody has validated, and never throws.
 *
 * One file has one rule with its codes and texts. Causes that differ only in a text of the same field share a rule; each has a
 * code, and each code a section in docs/troubleshooting.md.
 */
import type { SnapshotKind, SnapshotObject } from '../snapshot/cluster-snapshot.ts';
import type { Facts } from './facts.ts';
import type { Found, Stage } from './finding.ts';

export type Rule = {
  readonly codes: readonly [string, ...string[]];
  readonly stage: Stage;
  /** By default `blocks`. */
  readonly severity?: 'warning';
  /** What it would look at beyond the objects that are always read. */
  readonly needs?: (facts: Facts) => readonly Need[];
  readonly find: (facts: Facts) => readonly Found[];
};

/** A list of objects that only some states of a cluster call for. */
export type Need = {
  readonly kind: ListedKind;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
};

/** A kind with what a client needs to list it. */
type ListedKind = SnapshotKind<SnapshotObject> & {
  readonly version: string;
  readonly plural: string;
  readonly scope: 'Cluster' | 'Namespaced';
};
