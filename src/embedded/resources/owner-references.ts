/**
 * Owner references: validation and deduplication.
 */

import type { Problem } from '../../base/errors.ts';
import { canonicalJson, type Json, type JsonObject } from '../../base/json.ts';
import { objectsAt, stringAt, valueAt } from '../../base/json-fields.ts';
import { quoted } from '../../base/text/index.ts';
import { invalid, invalidText } from './field-problems.ts';
import { metadataOf } from './object-edits.ts';

const PATH = 'metadata.ownerReferences';

export function ownerProblems(object: JsonObject): readonly Problem[] {
  const owners = objectsAt(object, 'metadata', 'ownerReferences');
  return [...owners.flatMap(referenceProblems), ...controllerProblems(owners)];
}

/** Removes duplicate owner references, with a warning. */
export function dedupOwnerReferences(object: JsonObject): {
  readonly object: JsonObject;
  readonly warnings: readonly string[];
} {
  const owners = objectsAt(object, 'metadata', 'ownerReferences');
  const kept = new Map(owners.map((owner) => [canonicalJson(owner), owner]));
  if (kept.size === owners.length) return { object, warnings: [] };
  const counts = new Map<string, number>();
  for (const owner of owners)
    counts.set(stringAt(owner, 'uid'), (counts.get(stringAt(owner, 'uid')) ?? 0) + 1);
  const duplicates = [...counts].filter(([, count]) => count > 1).map(([uid]) => uid);
  const metadata = { ...metadataOf(object), ownerReferences: [...kept.values()] };
  const uids = duplicates.join(', ');
  return {
    object: { ...object, metadata },
    warnings: [
      `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`,
    ],
  };
}

function referenceProblems(owner: JsonObject): readonly Problem[] {
  const apiVersion = stringAt(owner, 'apiVersion');
  const { group, version } = parsedVersion(apiVersion);
  const kind = stringAt(owner, 'kind');
  const problems: Problem[] = [];
  if (version === '') {
    problems.push(invalidText(`${PATH}.apiVersion`, apiVersion, 'version must not be empty'));
  }
  for (const field of ['kind', 'name', 'uid'] as const) {
    if (stringAt(owner, field) === '') {
      problems.push(invalidText(`${PATH}.${field}`, '', `${field} must not be empty`));
    }
  }
  if (group === '' && version === 'v1' && kind === 'Event') {
    const detail = '/v1, Kind=Event is disallowed from being an owner';
    problems.push(invalid(PATH, formatOwner(owner), detail));
  }
  return problems;
}

/** An apiVersion with more than one slash has no version. */
function parsedVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const [first = '', second, ...more] = apiVersion.split('/');
  if (more.length > 0) return { group: '', version: '' };
  return second === undefined ? { group: '', version: first } : { group: first, version: second };
}

/** Each of these messages prints all owners, so many of them would make a huge response. */
const MAX_CONTROLLER_PROBLEMS = 8;

function controllerProblems(owners: readonly JsonObject[]): readonly Problem[] {
  const [first, ...others] = owners.filter((owner) => valueAt(owner, 'controller') === true).map(nameOf);
  if (others.length === 0) return [];
  const formatted = `[]v1.OwnerReference{${owners.map(formatOwner).join(', ')}}`;
  return others.slice(0, MAX_CONTROLLER_PROBLEMS).map((other) => {
    const found = `Found "true" in references for ${first} and ${other}`;
    return invalid(PATH, formatted, `Only one reference can have Controller set to true. ${found}`);
  });
}

function nameOf(owner: JsonObject): string {
  return `${stringAt(owner, 'kind')}/${stringAt(owner, 'name')}`;
}

function formatOwner(owner: JsonObject): string {
  const texts = (['apiVersion', 'kind', 'name', 'uid'] as const).map((field) =>
    quoted(stringAt(owner, field)),
  );
  const [apiVersion, kind, name, uid] = texts;
  const flags = `Controller:${formatBoolPointer(owner.controller)}, BlockOwnerDeletion:${formatBoolPointer(owner.blockOwnerDeletion)}`;
  return `v1.OwnerReference{APIVersion:${apiVersion}, Kind:${kind}, Name:${name}, UID:${uid}, ${flags}}`;
}

/** Go prints the address of a pointer, which is meaningless; ours is constant. */
function formatBoolPointer(value: Json | undefined): string {
  return typeof value === 'boolean' ? '(*bool)(0xc000000000)' : '(*bool)(nil)';
}
