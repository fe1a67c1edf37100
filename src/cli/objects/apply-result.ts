/**
 * The result of applying an object: what changed, or why it was rejected, in one line.
 */

import { type JsonObject, jsonEqual } from '../../base/json.ts';
import { objectAt } from '../../base/json-fields.ts';
import type { KubeError } from '../../kubernetes/client/index.ts';
import type { StatusCause } from '../../kubernetes/types/index.ts';

type ApplyResult = 'created' | 'configured' | 'unchanged';

/** `before` is undefined if the object did not exist. */
export function applyResult(before: JsonObject | undefined, after: JsonObject): ApplyResult {
  if (before === undefined) return 'created';
  return jsonEqual(comparable(before), comparable(after)) ? 'unchanged' : 'configured';
}

/** The object without status and fields maintained by the server. */
function comparable(object: JsonObject): JsonObject {
  const {
    managedFields: _managers,
    resourceVersion: _version,
    generation: _generation,
    ...metadata
  } = objectAt(object, 'metadata') ?? {};
  const { status: _status, ...others } = object;
  return { ...others, metadata };
}

export type ApplyError = {
  readonly message: string;
  /** The field at fault, as named by the server, or empty. */
  readonly path: string;
};

export function applyError({ message, details }: KubeError): ApplyError {
  const causes = details.causes ?? [];
  const conflicts = causes.filter(({ reason }) => reason === 'FieldManagerConflict');
  if (conflicts.length > 0) return conflictError(conflicts);
  return { message: withoutQuotedValues(message), path: fieldPath(causes[0]?.field) || namedField(message) };
}

/** `conflict with "kubectl": .data.a, .data.b`, for each manager. */
function conflictError(conflicts: readonly StatusCause[]): ApplyError {
  const byManager = new Map<string, readonly string[]>();
  for (const { message: manager = 'conflict', field = '' } of conflicts) {
    byManager.set(manager, [...(byManager.get(manager) ?? []), field]);
  }
  const owned = [...byManager].map(([manager, fields]) => `${manager}: ${fields.join(', ')}`);
  return {
    path: fieldPath(conflicts[0]?.field),
    message: `${owned.join('; ')} (take over with --force-conflicts, or remove these fields)`,
  };
}

/** Conflicts have paths that begin with a dot. */
function fieldPath(field = ''): string {
  return field.replace(/^\./, '');
}

/** Removes values that the server quotes in Go syntax: they may be secrets. */
function withoutQuotedValues(message: string): string {
  return message.replaceAll(/, got &value\..*$/gm, '');
}

/** Schema errors name the field in the message only. Used just to find the line. */
function namedField(message: string): string {
  const [, unknown, typed] =
    /unknown field "([^"]+)"|Kind=\w+\): (?:errors:\s+)?\.?([^\s:]+): /.exec(message) ?? [];
  return unknown ?? typed ?? '';
}
