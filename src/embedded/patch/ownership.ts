/**
 * The field managers after a change, and the conflicts of the change with them.
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

/** What is constant between writes. */
export type OwnershipContext = {
  readonly shape: Shape;
  /** The one version of managed fields. */
  readonly apiVersion: string;
  /** Fields that the server resets, such as `status` on the main resource: writing them gives no ownership. */
  readonly ignored: FieldSet;
  /** The limit of newly owned fields; absent: no limit. */
  readonly maxBytes?: number;
};

/** Identity and server-set fields, which have no manager. */
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

/** The maximum size of these fields in a comparison. */
export const NEVER_OWNED_BYTES = 500;

export function ownable(fields: FieldSet): FieldSet {
  return differenceOf(fields, NEVER_OWNED);
}

export function withoutIgnored({ ignored }: OwnershipContext, fields: FieldSet): FieldSet {
  return ignored === EMPTY_SET ? fields : recursiveDifferenceOf(fields, ignored);
}

/** The managers reconciled with the current schema. Managers of other versions are dropped. */
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
  /** The manager that makes the change and loses no fields. */
  readonly self?: string;
};

type OwnershipUpdate = {
  readonly managers: FieldManagers;
  /** The fields that the change takes from other managers. */
  readonly conflicts: ReadonlyMap<string, FieldSet>;
  readonly comparison: Comparison;
};

/** The managers after a change: others lose the fields that changed or were removed. */
export function updateOwnership(
  context: OwnershipContext,
  { before, after, managers, self }: Change,
): OwnershipUpdate {
  const comparison = compareTyped(context.shape, { before, after }, context);
  const changed = unionOf(comparison.modified, comparison.added);
  const remaining = new Map<string, FieldManager>();
  const conflicts = new Map<string, FieldSet>();
  for (const [identity, owner] of managers) {
    let { fields } = owner;
    if (identity !== self) {
      const taken = intersectionOf(fields, changed);
      if (!isEmptySet(taken)) conflicts.set(identity, taken);
      fields = differenceOf(differenceOf(fields, taken), comparison.removed);
    }
    if (!isEmptySet(fields)) remaining.set(identity, withFields(owner, fields));
  }
  return { managers: remaining, conflicts, comparison };
}

/** The same manager if its fields are the same, because caches are keyed by identity. */
function withFields(owner: FieldManager, fields: FieldSet): FieldManager {
  return fields === owner.fields ? owner : { ...owner, fields };
}
