/**
 * Conflicts of server-side apply with other field managers.
 */
import { compareBytes } from '../../base/json.ts';
import { quoted } from '../../base/text/index.ts';
import { applyConflict, type StatusError } from '../status/index.ts';
import { type FieldSet, pathsOf } from './field-set.ts';
import type { FieldManager, FieldManagers } from './managed-fields.ts';
import { type Path, pathText } from './path-element.ts';

export type Conflict = { readonly identity: string; readonly owner: FieldManager; readonly path: Path };

/** Sorted by manager and path, so that messages are deterministic. */
export function conflictsOf(
  taken: ReadonlyMap<string, FieldSet>,
  managers: FieldManagers,
): readonly Conflict[] {
  return [...taken]
    .sort(([a], [b]) => compareBytes(a, b))
    .flatMap(([identity, fields]) => {
      const owner = managers.get(identity);
      return owner === undefined ? [] : pathsOf(fields).map((path) => ({ identity, owner, path }));
    });
}

export function conflictError(conflicts: readonly Conflict[]): StatusError {
  const causes = conflicts.map(({ owner, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${managerText(owner)}`,
    field: pathText(path),
  }));
  const [only] = causes;
  if (only !== undefined && causes.length === 1) {
    return applyConflict(`Apply failed with 1 conflict: ${only.message}: ${only.field}`, causes);
  }
  const lines: string[] = [];
  let current: string | undefined;
  for (const { identity, owner, path } of conflicts) {
    if (identity !== current) lines.push(`conflicts with ${managerText(owner)}:`);
    current = identity;
    lines.push(`- ${pathText(path)}`);
  }
  return applyConflict(`Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`, causes);
}

/** `"kubectl" with subresource "status" using apps/v1`. */
function managerText({ manager, operation, subresource, apiVersion }: FieldManager): string {
  const suffix = subresource === '' ? '' : ` with subresource ${quoted(subresource)}`;
  return `${quoted(manager)}${suffix}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}
