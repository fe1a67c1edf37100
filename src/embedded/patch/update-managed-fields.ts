/**
 * Managed fields after a create, update or patch: the writer owns what is new or different, others keep unchanged
 * fields.
 */

import { isObject, type JsonObject } from '../../base/json.ts';
import { stringAt } from '../../base/json-fields.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import { capManagers } from './cap-managers.ts';
import { EMPTY_SET, isEmptySet, setOfFields, unionOf } from './field-set.ts';
import { traversalError } from './json-values.ts';
import {
  decodeManagedFields,
  entriesOf,
  type FieldManagers,
  identityOf,
  isReset,
  withEntries,
  withManagers,
} from './managed-fields.ts';
import { objectName } from './object-name.ts';
import {
  managersOfVersion,
  NEVER_OWNED_BYTES,
  type OwnershipContext,
  ownable,
  updateOwnership,
  withoutIgnored,
} from './ownership.ts';
import { patched, type Success } from './patched.ts';
import { shapeOfObject } from './shape.ts';
import { typedProblem } from './typed-validate.ts';

/** A write, apart from the object. */
export type WriteRequest = {
  /** The schema of the kind; without one everything is deduced from the values. */
  readonly schema: StructuralSchema | undefined;
  readonly apiVersion: string;
  readonly kind: string;
  readonly manager: string;
  /** Such as `status`. */
  readonly subresource?: string;
  /** Fields that the server resets in this request, including everything below: `[['status']]`. */
  readonly resetFields?: readonly (readonly string[])[];
  /** RFC 3339, in whole seconds; undefined to write no time. */
  readonly now: string | undefined;
};

export type UpdateRequest = WriteRequest & {
  /** Undefined on create. */
  readonly before: JsonObject | undefined;
  readonly after: JsonObject;
  /** If `managedFields` would take more than this in JSON, it is omitted. */
  readonly maxBytes?: number;
};

/**
 * The object `after` with its `metadata.managedFields`. Entries in `after` are taken as an explicit edit, and an empty
 * list resets them; writes through a subresource ignore them.
 *
 * Never fails: if managers cannot be computed, the object is returned without them, with a warning.
 */
export function updateManagedFields(request: UpdateRequest): Success<JsonObject> {
  const { before, after } = request;
  const tooLarge = traversalError('the object', [before ?? null, after]);
  if (tooLarge !== undefined) return patched(after, [{ path: '', message: tooLarge.message }]);
  const live = before ?? { apiVersion: request.apiVersion, kind: request.kind };
  const managers = startingManagers(request, live);
  const withoutManagers = withEntries(after, undefined);
  // Managers are tracked from creation on; an object that lost them has none until the first apply.
  if (managers.size === 0 && stringAt(live, 'metadata', 'uid') !== '') return patched(withoutManagers);
  const { maxBytes } = request;
  const updated = managersAfterUpdate(request, {
    maxBytes,
    before: withEntries(live, undefined),
    after: withoutManagers,
    managers,
  });
  if ('failure' in updated) return patched(withoutManagers, [{ path: '', message: updated.failure }]);
  return patched(withManagers(withoutManagers, updated.managers));
}

function startingManagers({ subresource = '', after }: UpdateRequest, live: JsonObject): FieldManagers {
  const ofLive = () => readManagers(entriesOf(live) ?? []) ?? new Map();
  if (subresource !== '') return ofLive();
  const entries = entriesOf(after);
  if (isReset(entries)) return new Map();
  const given = readManagers(entries ?? []);
  // Clients that do not know `managedFields` may drop it, which must not delete it.
  return given === undefined || given.size === 0 ? ofLive() : given;
}

function readManagers(entries: Parameters<typeof decodeManagedFields>[0]): FieldManagers | undefined {
  const managers = decodeManagedFields(entries);
  return 'failure' in managers ? undefined : managers;
}

type Update = {
  readonly maxBytes?: number | undefined;
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly managers: FieldManagers;
};

/** Both objects are without `managedFields`. */
export function managersAfterUpdate(
  writer: WriteRequest,
  { before, after, managers, maxBytes }: Update,
): { readonly managers: FieldManagers } | { readonly failure: string } {
  const limit = maxBytes === undefined ? {} : { maxBytes: maxBytes + NEVER_OWNED_BYTES };
  const context = { ...ownershipContextOf(writer), ...limit };
  const options = { allowsDuplicates: true };
  const problem = typedProblem(context.shape, after, options);
  if (problem !== undefined) {
    return { failure: `failed to convert new object (${objectName(after)}) to smd typed: ${problem}` };
  }
  const oldProblem = typedProblem(context.shape, before, options);
  if (oldProblem !== undefined) {
    return { failure: `failed to convert live object (${objectName(before)}) to smd typed: ${oldProblem}` };
  }
  const ownership = updateOwnership(context, {
    before,
    after,
    managers: managersOfVersion(context, managers),
  });
  const { modified, added, isTruncated } = ownership.comparison;
  if (isTruncated) return { failure: `the owners of the fields take more than ${maxBytes} bytes` };
  const taken = ownable(withoutIgnored(context, unionOf(modified, added)));
  if (isEmptySet(taken)) return { managers: capManagers(ownership.managers) };
  const owner = {
    manager: writer.manager === '' ? 'unknown' : writer.manager,
    operation: 'Update' as const,
    apiVersion: writer.apiVersion,
    subresource: writer.subresource ?? '',
    time: writer.now,
    fields: taken,
  };
  const identity = identityOf(owner);
  const previous = ownership.managers.get(identity);
  const fields = previous === undefined ? taken : unionOf(previous.fields, taken);
  return { managers: capManagers(new Map([...ownership.managers, [identity, { ...owner, fields }]])) };
}

export function ownershipContextOf({ schema, apiVersion, resetFields }: WriteRequest): OwnershipContext {
  const hasReset = resetFields !== undefined && resetFields.length > 0;
  return {
    shape: shapeOfObject(isObject(schema) ? schema : undefined),
    apiVersion,
    ignored: hasReset ? setOfFields(resetFields) : EMPTY_SET,
  };
}
