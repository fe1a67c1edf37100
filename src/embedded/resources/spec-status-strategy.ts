/**
 * The common strategy of kinds with a spec and a status: the status starts empty and is written only through its
 * subresource, the generation starts at 1 and is incremented when the spec changes.
 */

import { isObject, type Json, type JsonObject, jsonEqual } from '../../base/json.ts';
import type { AnyBody } from '../../kubernetes/types/index.ts';
import { applyDefaults } from '../../kubernetes/validation/index.ts';
import { type StatusSubresourceOptions, statusSubresource } from './builtin-strategy.ts';
import { generationOf, withGeneration, withOldStatus, without } from './object-edits.ts';
import type { Strategy, SubresourceStrategy } from './strategy.ts';

/** `alsoIncrements`: whether a change outside of the spec increments the generation. */
export function specAndStatusStrategy(
  of: AnyBody,
  alsoIncrements: (object: JsonObject, old: JsonObject) => boolean = () => false,
): Pick<Strategy, 'prepareForCreate' | 'prepareForUpdate' | 'resetFields'> {
  const status = emptyStatus(of);
  return {
    prepareForCreate: (object) => withGeneration({ ...object, status }, 1),
    prepareForUpdate: (object, old) => {
      const hasChanged = !jsonEqual(object.spec ?? null, old.spec ?? null) || alsoIncrements(object, old);
      return withGeneration(withOldStatus(object, old), generationOf(old) + (hasChanged ? 1 : 0));
    },
    resetFields: [['status']],
  };
}

/** The status of a new object: some counts are serialized although they are zero. */
function emptyStatus(of: AnyBody): JsonObject {
  const status = of.schema.properties?.status;
  const filled = status === undefined ? {} : applyDefaults(status, {});
  // Defaults come from the schema, which is JSON.
  return isObject(filled) ? (filled as JsonObject) : {};
}

type StatusOptions = StatusSubresourceOptions & {
  /** Status fields behind feature gates that are off: dropped unless the object already has them. */
  readonly unusedFields?: readonly string[];
};

/** The status subresource of kinds with a generation, which it cannot change. */
export function statusSubresourceWithGeneration({
  unusedFields = [],
  ...options
}: StatusOptions): SubresourceStrategy {
  const base = statusSubresource(options);
  return {
    ...base,
    prepareForUpdate: (object, old, context) => {
      const prepared = withGeneration(base.prepareForUpdate(object, old, context), generationOf(old));
      const dropped = unusedFields.filter((field) => !hasField(old.status, field));
      return isObject(prepared.status) && dropped.length > 0
        ? { ...prepared, status: without(prepared.status as JsonObject, ...dropped) }
        : prepared;
    },
  };
}

function hasField(status: Json | undefined, field: string): boolean {
  return isObject(status) && Object.hasOwn(status, field);
}
