/**
 * Server-side apply: the manager owns the fields that it applies. Fields that it no longer applies are removed unless
 * others own them, and a different value for a field of another manager is a conflict.
 */

import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { stringAt } from '../../base/json-fields.ts';
import { badRequest, type StatusError, unknownError } from '../status/index.ts';
import { type Conflict, conflictError, conflictsOf } from './conflicts.ts';
import { EMPTY_SET, type FieldSet, hasPath, isEmptySet } from './field-set.ts';
import { jsonTypeName, sameJson, traversalError } from './json-values.ts';
import { KUBECTL, lastAppliedFields, withLastApplied } from './last-applied.ts';
import {
  decodeManagedFields,
  entriesOf,
  type FieldManagers,
  identityOf,
  withEntries,
  withManagers,
} from './managed-fields.ts';
import { kindName, objectName } from './object-name.ts';
import { managersOfVersion, ownable, updateOwnership, withoutIgnored } from './ownership.ts';
import { type Patched, patched } from './patched.ts';
import { pruneApplied } from './prune-applied.ts';
import { fieldsOf } from './typed-fields.ts';
import { mergeTyped } from './typed-merge.ts';
import { typedProblem } from './typed-validate.ts';
import { managersAfterUpdate, ownershipContextOf, type WriteRequest } from './update-managed-fields.ts';

export type ApplyRequest = WriteRequest & {
  /** The stored object; undefined if there is none. */
  readonly live: JsonObject | undefined;
  /** The applied configuration, as the client sent it. */
  readonly applied: unknown;
  /** Takes over fields of other managers. */
  readonly force: boolean;
};

/**
 * The merged object with updated `metadata.managedFields`, or the error: 409 with one cause per conflicting field, 400
 * for an object of another kind, 500 for one that does not match its schema (as kube-apiserver answers).
 *
 * No defaults are set, and nothing is validated beyond what merging needs.
 */
export function apply(request: ApplyRequest): Patched<JsonObject> {
  const { apiVersion, kind } = request;
  const tooLarge =
    traversalError('the object', request.live ?? null) ?? traversalError('the patch', request.applied);
  if (tooLarge !== undefined) return tooLarge;
  // The check above ensures that it is JSON.
  const applied = (request.applied ?? {}) as Json;
  if (!isJsonObject(applied)) {
    return badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonTypeName(applied)} into Go value of type map[string]interface {}`,
    );
  }
  const live = request.live ?? { apiVersion, kind };
  const managers = decodeManagedFields(entriesOf(live) ?? []);
  if ('failure' in managers) return unknownError(`failed to decode managed fields: ${managers.failure}`);
  const appliedKind = kindName(stringAt(applied, 'apiVersion'), stringAt(applied, 'kind'));
  if (appliedKind !== kindName(apiVersion, kind)) return badRequest(`invalid object type: ${appliedKind}`);
  const input = { live: withEntries(live, undefined), applied, managers };
  const attempt = tryApply(request, input, request.force);
  const result = 'conflicts' in attempt ? takeOverLastApplied(request, input, attempt.conflicts) : attempt;
  if (result.kind === 'error' || request.manager !== KUBECTL) return result;
  return patched(withLastApplied(result.value, applied));
}

type Input = { readonly live: JsonObject; readonly applied: JsonObject; readonly managers: FieldManagers };
type Attempt = Patched<JsonObject> | { readonly kind: 'conflicts'; readonly conflicts: readonly Conflict[] };

function tryApply(request: ApplyRequest, { live, applied, managers: known }: Input, force: boolean): Attempt {
  const context = ownershipContextOf(request);
  const { shape } = context;
  const managers = known.size === 0 ? initialManagers(request, live) : { managers: known };
  if ('failure' in managers) {
    return unknownError(`failed to create manager for existing fields: ${managers.failure}`);
  }
  const problem = checkInput(request, live, applied);
  if (problem !== undefined) return problem;

  const current = managersOfVersion(context, managers.managers);
  const self = applierOf(request, withoutIgnored(context, fieldsOf(shape, applied)));
  const identity = identityOf(self);
  const last = current.get(identity)?.fields ?? EMPTY_SET;
  const next = new Map([...current, [identity, self]]);
  const merged = mergeTyped(shape, live, applied) ?? null;
  const pruned = pruneApplied(shape, merged, last, next);
  // Kind and name are never owned, so the object cannot vanish.
  const after = isJsonObject(pruned) ? pruned : {};
  const ownership = updateOwnership(context, { before: live, after, managers: next, self: identity });
  if (!force && ownership.conflicts.size > 0) {
    return { kind: 'conflicts', conflicts: conflictsOf(ownership.conflicts, next) };
  }
  const result = new Map(ownership.managers);
  const fields = ownable(self.fields);
  const isSame = sameJson(live, after);
  // An apply without changes keeps the timestamp.
  const time = isSame ? managers.managers.get(identity)?.time : request.now;
  if (isEmptySet(fields)) result.delete(identity);
  else result.set(identity, { ...self, time, fields });
  return patched(withManagers(isSame ? live : after, result));
}

/** Fields without a manager count as written before the first apply. */
function initialManagers(request: ApplyRequest, live: JsonObject): ReturnType<typeof managersAfterUpdate> {
  const { apiVersion, kind } = request;
  const writer = { ...request, manager: 'before-first-apply' };
  return managersAfterUpdate(writer, { before: { apiVersion, kind }, after: live, managers: new Map() });
}

function checkInput(request: ApplyRequest, live: JsonObject, applied: JsonObject): StatusError | undefined {
  if (entriesOf(applied) !== undefined) return badRequest('metadata.managedFields must be nil');
  const { shape } = ownershipContextOf(request);
  const problem = typedProblem(shape, applied, { allowsDuplicates: false });
  if (problem !== undefined) {
    return unknownError(`failed to create typed patch object (${objectName(applied)}): ${problem}`);
  }
  const liveProblem = typedProblem(shape, live, { allowsDuplicates: true });
  if (liveProblem === undefined) return undefined;
  return unknownError(`failed to create typed live object (${objectName(live)}): ${liveProblem}`);
}

function applierOf({ manager, apiVersion, subresource = '' }: ApplyRequest, fields: FieldSet) {
  const name = manager === '' ? 'unknown' : manager;
  return { manager: name, operation: 'Apply' as const, apiVersion, subresource, time: undefined, fields };
}

/** `kubectl` may take over fields that it applied from the client side before. */
function takeOverLastApplied(
  request: ApplyRequest,
  input: Input,
  conflicts: readonly Conflict[],
): Patched<JsonObject> {
  if (request.manager !== KUBECTL) return conflictError(conflicts);
  const allowed = lastAppliedFields(ownershipContextOf(request), input.live);
  if (allowed === undefined) return conflictError(conflicts);
  const left = conflicts.filter(({ path }) => !hasPath(allowed, path));
  if (left.length > 0) return conflictError(left);
  const forced = tryApply(request, input, true);
  return 'conflicts' in forced ? conflictError(forced.conflicts) : forced;
}
