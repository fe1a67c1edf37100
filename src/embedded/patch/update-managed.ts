/**
 * Who owns the fields of an object after it was created, replaced or patched other than by apply: the writer owns
 * what is new or different, others keep what the write left alone.
 */

import { isObject, type JsonObject } from '../../base/json.ts';
import { stringAt } from '../../base/json-fields.ts';
import type { StructuralSchema } from '../../kubernetes/schema/index.ts';
import { cappedOwners } from './cap-owners.ts';
import { EMPTY_SET, isEmptySet, setOfFields, unionOf } from './field-set.ts';
import { unreadable } from './json-values.ts';
import {
  decodeOwners,
  entriesOf,
  identityOf,
  isReset,
  type Owners,
  withEntries,
  withOwners,
} from './managed-fields.ts';
import { objectName } from './object-name.ts';
import {
  currentOwners,
  NEVER_OWNED_BYTES,
  ownable,
  type Setting,
  settle,
  withoutIgnored,
} from './ownership.ts';
import { patched, type Success } from './patched.ts';
import { shapeOfObject } from './shape.ts';
import { shapeProblem } from './typed-check.ts';

/** What a write is, apart from the object. */
export type Writer = {
  /** The schema of the kind; without one all is deduced from the values. */
  readonly schema: StructuralSchema | undefined;
  readonly apiVersion: string;
  readonly kind: string;
  /** The field manager of the request. */
  readonly manager: string;
  /** The door of the request, such as `status`. */
  readonly subresource?: string;
  /** Fields that the server puts back at this door, with all below them: `[['status']]`. */
  readonly resetFields?: readonly (readonly string[])[];
  /** RFC 3339, in whole seconds; undefined where no time is to be written down. */
  readonly now: string | undefined;
};

export type UpdateRequest = Writer & {
  /** Absent where the object is created. */
  readonly before: JsonObject | undefined;
  readonly after: JsonObject;
  /** Where the list is known to take more than this in JSON it is not made: the object is given without. */
  readonly maxBytes?: number;
};

/**
 * The object `after` with its `metadata.managedFields`. The list that it brings counts as a correction by hand, an
 * empty one as the wish to begin anew; behind another door it is not looked at.
 *
 * Never fails: where owners cannot be computed, the object is returned without them, with a warning.
 */
export function updateManaged(request: UpdateRequest): Success<JsonObject> {
  const { before, after } = request;
  const unread = unreadable('the object', [before ?? null, after]);
  if (unread !== undefined) return patched(after, [{ path: '', message: unread.message }]);
  const live = before ?? { apiVersion: request.apiVersion, kind: request.kind };
  const owners = startingOwners(request, live);
  const bare = withEntries(after, undefined);
  // Only from its creation on is an object watched; one that lost its list waits for the first apply.
  if (owners.size === 0 && stringAt(live, 'metadata', 'uid') !== '') return patched(bare);
  const { maxBytes } = request;
  const updated = ownersAfterUpdate(request, {
    maxBytes,
    before: withEntries(live, undefined),
    after: bare,
    owners,
  });
  if ('failure' in updated) return patched(bare, [{ path: '', message: updated.failure }]);
  return patched(withOwners(bare, updated.owners));
}

function startingOwners({ subresource = '', after }: UpdateRequest, live: JsonObject): Owners {
  const ofLive = () => readOwners(entriesOf(live) ?? []) ?? new Map();
  if (subresource !== '') return ofLive();
  const entries = entriesOf(after);
  if (isReset(entries)) return new Map();
  const given = readOwners(entries ?? []);
  // Clients that know nothing of the list may have lost it; that shall not delete it.
  return given === undefined || given.size === 0 ? ofLive() : given;
}

function readOwners(entries: Parameters<typeof decodeOwners>[0]): Owners | undefined {
  const owners = decodeOwners(entries);
  return 'failure' in owners ? undefined : owners;
}

type Update = {
  readonly maxBytes?: number | undefined;
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly owners: Owners;
};

/** Neither object holds its own list. */
export function ownersAfterUpdate(
  writer: Writer,
  { before, after, owners, maxBytes }: Update,
): { readonly owners: Owners } | { readonly failure: string } {
  const limit = maxBytes === undefined ? {} : { maxBytes: maxBytes + NEVER_OWNED_BYTES };
  const setting = { ...settingOf(writer), ...limit };
  const options = { allowsDuplicates: true };
  const wrong = shapeProblem(setting.shape, after, options);
  if (wrong !== undefined) {
    return { failure: `failed to convert new object (${objectName(after)}) to smd typed: ${wrong}` };
  }
  const wrongBefore = shapeProblem(setting.shape, before, options);
  if (wrongBefore !== undefined) {
    return { failure: `failed to convert live object (${objectName(before)}) to smd typed: ${wrongBefore}` };
  }
  const settled = settle(setting, { before, after, owners: currentOwners(setting, owners) });
  const { modified, added, isCut } = settled.comparison;
  if (isCut) return { failure: `the owners of the fields take more than ${maxBytes} bytes` };
  const taken = ownable(withoutIgnored(setting, unionOf(modified, added)));
  if (isEmptySet(taken)) return { owners: cappedOwners(settled.owners) };
  const owner = {
    manager: writer.manager === '' ? 'unknown' : writer.manager,
    operation: 'Update' as const,
    apiVersion: writer.apiVersion,
    subresource: writer.subresource ?? '',
    time: writer.now,
    fields: taken,
  };
  const identity = identityOf(owner);
  const previous = settled.owners.get(identity);
  const fields = previous === undefined ? taken : unionOf(previous.fields, taken);
  return { owners: cappedOwners(new Map([...settled.owners, [identity, { ...owner, fields }]])) };
}

export function settingOf({ schema, apiVersion, resetFields }: Writer): Setting {
  const hasReset = resetFields !== undefined && resetFields.length > 0;
  return {
    shape: shapeOfObject(isObject(schema) ? schema : undefined),
    apiVersion,
    ignored: hasReset ? setOfFields(resetFields) : EMPTY_SET,
  };
}
