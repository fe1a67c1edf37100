/**
 * Writes of objects through the strategy of their kind, as in the server: decoded, defaulted, prepared, validated.
 * The validation of metadata is left out, so that a test sees only the problems of its own kind.
 */
import type { Problem } from '../../src/base/errors.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { Strategy, WriteContext } from '../../src/embedded/resources/index.ts';

export type Written = {
  readonly object: JsonObject;
  /** `spec.replicas FieldValueInvalid: Invalid value: …`, as contract cases write them. */
  readonly causes: readonly string[];
  readonly warnings: readonly string[];
};

export const someContext: WriteContext = {
  now: '2024-01-02T03:04:05Z',
  random: () => 0.5,
  others: () => [],
};

/** A new object in the namespace `space`, with the uid `uid-1`. */
export function created(strategy: Strategy, sent: JsonObject): Written {
  const read = decoded(strategy, sent);
  const metadata = { ...metadataOf(read), namespace: 'space', uid: 'uid-1' };
  const object = strategy.prepareForCreate({ ...read, metadata }, someContext);
  const conflicts = strategy.validateAgainstOthers?.(object, undefined, someContext.others()) ?? [];
  const causes = (conflicts.length > 0 ? conflicts : strategy.validateCreate(object)).map(causeText);
  return { object, causes, warnings: strategy.warnings(object, undefined) };
}

/** An update of the object. */
export function updated(strategy: Strategy, old: JsonObject, sent: JsonObject): Written {
  const object = strategy.prepareForUpdate(decoded(strategy, sent), old, someContext);
  const conflicts = strategy.validateAgainstOthers?.(object, old, [old]) ?? [];
  const causes = (conflicts.length > 0 ? conflicts : strategy.validateUpdate(object, old)).map(causeText);
  return { object, causes, warnings: strategy.warnings(object, old) };
}

/** An update through the status subresource. */
export function statusUpdated(strategy: Strategy, old: JsonObject, sent: JsonObject): Written {
  const subresource = Object.entries(strategy.subresources).find(([name]) => name === 'status')?.[1];
  if (subresource === undefined) throw new Error('no status subresource');
  const object = subresource.prepareForUpdate(decoded(strategy, sent), old, someContext);
  return { object, causes: subresource.validateUpdate(object, old).map(causeText), warnings: [] };
}

export function causeText({ path, reason, message }: Problem): string {
  return `${path} ${reason}: ${message}`;
}

function decoded(strategy: Strategy, sent: JsonObject): JsonObject {
  const read = strategy.decode(sent);
  if (read.kind === 'failed') throw new Error(read.message);
  return strategy.setDefaults(read.object);
}

function metadataOf({ metadata }: JsonObject): object {
  return typeof metadata === 'object' && metadata !== null ? metadata : {};
}
