/**
 * Who owns what once an object has changed, and whom a change goes against.
 */
import type { JsonObject } from '../../base/json.ts';
import {
  differenceOf,
  EMPTY_SET,
  type FieldSet,
  intersectionOf,
  isEmptySet,
  recursiveDifferenceOf,
  setOfFields,
  unionOf,
} from './field-set.ts';
import type { FieldManager, FieldManagers } from './managed-fields.ts';
import { reconciledFields } from './reconcile-fields.ts';
import type { Shape } from './shape.ts';
import { type Comparison, compareTyped } from './typed-compare.ts';

/** What does not change from one write to the next. */
export type OwnershipContext = {
  readonly shape: Shape;
  /** The one version in which objects are kept. */
  readonly apiVersion: string;
  /** What the server itself puts back, such as `status` at the main door: writing it gives no ownership. */
  readonly ignored: FieldSet;
  /** More than this nobody is to own anew; absent: there is no limit. */
  readonly maxBytes?: number;
};

/** The fields that say which object it is, or that the server writes: nobody owns them. */
const NEVER_OWNED = setOfFields([
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ['metadata', 'name'],
  ['metadata', 'namespace'],
  ['metadata', 'creationTimestamp'],
  ['metadata', 'selfLink'],
  ['metadata', 'uid'],
  ['metadata', 'clusterName'],
  ['metadata', 'generation'],
  ['metadata', 'managedFields'],
  ['metadata', 'resourceVersion'],
]);

/** What those may take at most of what a change is found to be. */
export const NEVER_OWNED_BYTES = 500;

export function ownable(fields: FieldSet): FieldSet {
  return differenceOf(fields, NEVER_OWNED);
}

export function withoutIgnored({ ignored }: OwnershipContext, fields: FieldSet): FieldSet {
  return ignored === EMPTY_SET ? fields : recursiveDifferenceOf(fields, ignored);
}

/** The owners as they stand under this version and schema. Of other versions nothing is known any more. */
export function managersOfVersion(
  { shape, apiVersion }: OwnershipContext,
  managers: FieldManagers,
): FieldManagers {
  const current = new Map<string, FieldManager>();
  for (const [identity, owner] of managers) {
    if (owner.apiVersion !== apiVersion) continue;
    current.set(identity, withFields(owner, reconciledFields(shape, owner.fields)));
  }
  return current;
}

type Change = {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly managers: FieldManagers;
  /** The owner that makes the change, from whom nothing is taken. */
  readonly self?: string;
};

type OwnershipUpdate = {
  readonly managers: FieldManagers;
  /** What the change takes from others who own it. */
  readonly conflicts: ReadonlyMap<string, FieldSet>;
  readonly comparison: Comparison;
};

/** What is left to whom after a change: what changed is no longer theirs, and what is gone is nobody's. */
export function updateOwnership(
  setting: OwnershipContext,
  { before, after, managers, self }: Change,
): OwnershipUpdate {
  const comparison = compareTyped(setting.shape, { before, after }, setting);
  const changed = unionOf(comparison.modified, comparison.added);
  const settled = new Map<string, FieldManager>();
  const conflicts = new Map<string, FieldSet>();
  for (const [identity, owner] of managers) {
    let { fields } = owner;
    if (identity !== self) {
      const taken = intersectionOf(fields, changed);
      if (!isEmptySet(taken)) conflicts.set(identity, taken);
      fields = differenceOf(differenceOf(fields, taken), comparison.removed);
    }
    if (!isEmptySet(fields)) settled.set(identity, withFields(owner, fields));
  }
  return { managers: settled, conflicts, comparison };
}

/** The same owner where the fields are the same: what is known of it is known by it. */
function withFields(owner: FieldManager, fields: FieldSet): FieldManager {
  return fields === owner.fields ? owner : { ...owner, fields };
}
