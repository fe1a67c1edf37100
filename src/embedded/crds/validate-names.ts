/**
 * Validation of the names of a CRD: kind, resource and group.
 */

import type { Problem } from '../../base/errors.ts';
import { checkDns1035Label, checkDnsSubdomain } from '../../kubernetes/meta/index.ts';
import { invalidText, required } from '../resources/index.ts';
import type { CrdNames } from './crd.ts';

export function groupProblems(group: string, path: string): readonly Problem[] {
  if (group === '') return [required(path)];
  const messages = checkDnsSubdomain(group);
  if (messages.length > 0) return [invalidText(path, group, messages.join(','))];
  return group.includes('.') ? [] : [invalidText(path, group, 'should be a domain with at least one dot')];
}

/** Required names; decoding and defaulting make each of them a string. */
export function missingNames(names: CrdNames, path: string): readonly Problem[] {
  return (['plural', 'singular', 'kind', 'listKind'] as const)
    .filter((name) => (names[name] ?? '') === '')
    .map((name) => required(`${path}.${name}`));
}

/** Validates names, requested or accepted. */
export function nameProblems(names: Partial<CrdNames>, path: string): readonly Problem[] {
  const { kind = '', listKind = '', shortNames = [], categories = [] } = names;
  return [
    ...labelProblems(names.plural, `${path}.plural`),
    ...labelProblems(names.singular, `${path}.singular`),
    ...kindProblems(kind, `${path}.kind`),
    ...kindProblems(listKind, `${path}.listKind`),
    ...shortNames.flatMap((name, index) => wordProblems(name, `${path}.shortNames[${index}]`)),
    ...(kind !== '' && kind === listKind
      ? [invalidText(`${path}.listKind`, listKind, 'kind and listKind may not be the same')]
      : []),
    ...categories.flatMap((name, index) => wordProblems(name, `${path}.categories[${index}]`)),
  ];
}

function labelProblems(name: string | undefined, path: string): readonly Problem[] {
  return name === undefined || name === '' ? [] : wordProblems(name, path);
}

/** An empty string is also invalid in a list. */
export function wordProblems(name: string, path: string): readonly Problem[] {
  const messages = checkDns1035Label(name);
  return messages.length === 0 ? [] : [invalidText(path, name, messages.join(','))];
}

function kindProblems(kind: string, path: string): readonly Problem[] {
  const messages = kind === '' ? [] : checkDns1035Label(kind.toLowerCase());
  if (messages.length === 0) return [];
  const detail = `may have mixed case, but should otherwise match: ${messages.join(',')}`;
  return [invalidText(path, kind, detail)];
}
