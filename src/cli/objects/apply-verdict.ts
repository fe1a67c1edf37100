/**
 * What came of applying an object: what has changed, or why it was refused, in a line.
 */

import { type JsonObject, jsonEqual } from '../../base/json.ts';
import { objectAt } from '../../base/json-fields.ts';
import type { KubeError } from '../../kubernetes/client/index.ts';
import type { StatusCause } from '../../kubernetes/types/index.ts';

type ApplyVerdict = 'created' | 'configured' | 'unchanged';

/** `before` is undefined where the object was not there. */
export function applyVerdict(before: JsonObject | undefined, after: JsonObject): ApplyVerdict {
  if (before === undefined) return 'created';
  return jsonEqual(substance(before), substance(after)) ? 'unchanged' : 'configured';
}

/** The object without what moves by itself: its status, which others write, and what the server keeps about it. */
function substance(object: JsonObject): JsonObject {
  const {
    managedFields: _owners,
    resourceVersion: _version,
    generation: _generation,
    ...metadata
  } = objectAt(object, 'metadata') ?? {};
  const { status: _status, ...others } = object;
  return { ...others, metadata };
}

export type ApplyRefusal = {
  readonly message: string;
  /** The field that it is about, as the server names it, or none. */
  readonly path: string;
};

export function applyRefusal({ message, details }: KubeError): ApplyRefusal {
  const causes = details.causes ?? [];
  const conflicts = causes.filter(({ reason }) => reason === 'FieldManagerConflict');
  if (conflicts.length > 0) return conflictRefusal(conflicts);
  return { message: withoutValues(message), path: fieldPath(causes[0]?.field) || namedField(message) };
}

/** `conflict with "kubectl": .data.a, .data.b`, for each owner. */
function conflictRefusal(conflicts: readonly StatusCause[]): ApplyRefusal {
  const byOwner = new Map<string, readonly string[]>();
  for (const { message: owner = 'conflict', field = '' } of conflicts) {
    byOwner.set(owner, [...(byOwner.get(owner) ?? []), field]);
  }
  const owned = [...byOwner].map(([owner, fields]) => `${owner}: ${fields.join(', ')}`);
  return {
    path: fieldPath(conflicts[0]?.field),
    message: `${owned.join('; ')} (take over with --force-conflicts, or leave these fields out)`,
  };
}

/** Owners are told of paths that begin with a dot. */
function fieldPath(field = ''): string {
  return field.replace(/^\./, '');
}

/** A value of the wrong type is quoted by the server as its own code sees it. It may be a secret, and helps nobody. */
function withoutValues(message: string): string {
  return message.replaceAll(/, got &value\..*$/gm, '');
}

/** What does not fit the schema is named in the text alone. Only the line is looked up by it. */
function namedField(message: string): string {
  const [, unknown, typed] =
    /unknown field "([^"]+)"|Kind=\w+\): (?:errors:\s+)?\.?([^\s:]+): /.exec(message) ?? [];
  return unknown ?? typed ?? '';
}
