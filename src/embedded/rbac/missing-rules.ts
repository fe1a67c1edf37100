/**
 * The requested rules that a user does not hold, and how kube-apiserver prints them.
 *
 * Rules are broken down until each has one verb, one resource and at most one name: such a rule is covered by one
 * held rule or by none, so differently grouped rules can be compared.
 */

import { compareBytes } from '../../base/json.ts';
import { quoted } from '../../base/text/index.ts';
import type { PolicyRule } from '../../kubernetes/types/index.ts';
import { ALL, hasOrAll, urlFits } from './rule-allows.ts';

/** Larger rules are not broken down: they must be covered by one held rule. */
export const MAX_ATOMS = 20_000;

/** The uncovered rules, grouped by resource. */
export function missingRules(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): readonly PolicyRule[] {
  let atoms = 0;
  const missing: PolicyRule[] = [];
  for (const rule of wanted) {
    atoms += atomCount(rule);
    const parts = atoms > MAX_ATOMS ? [rule] : atomsOf(rule);
    for (const part of parts) if (!held.some((one) => covers(one, part))) missing.push(part);
  }
  return joined(missing);
}

/** `{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}`. */
function ruleText(rule: PolicyRule): string {
  const parts = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ] as const;
  const texts = parts.flatMap(([name, list]) => (isEmpty(list) ? [] : [`${name}:${quotedList(list ?? [])}`]));
  return `{${texts.join(', ')}}`;
}

/** One line per rule, sorted, without duplicates. */
export function rulesText(rules: readonly PolicyRule[]): string {
  return [...new Set(rules.map(ruleText))].sort(compareBytes).join('\n');
}

/** As Go prints a list of strings: `["a" "b"]`. */
export function quotedList(texts: readonly string[]): string {
  return `[${texts.map(quoted).join(' ')}]`;
}

function atomCount({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number {
  const names = isEmpty(resourceNames) ? 1 : (resourceNames?.length ?? 0);
  const objects = (apiGroups?.length ?? 0) * (resources?.length ?? 0) * names;
  return (verbs?.length ?? 0) * (objects + (nonResourceURLs?.length ?? 0));
}

function atomsOf({
  verbs,
  apiGroups,
  resources,
  resourceNames,
  nonResourceURLs,
}: PolicyRule): readonly PolicyRule[] {
  const atoms: PolicyRule[] = [];
  for (const group of apiGroups ?? []) {
    for (const resource of resources ?? []) {
      for (const verb of verbs ?? []) {
        const atom = { verbs: [verb], apiGroups: [group], resources: [resource] };
        if (isEmpty(resourceNames)) atoms.push(atom);
        for (const name of resourceNames ?? []) atoms.push({ ...atom, resourceNames: [name] });
      }
    }
  }
  for (const url of nonResourceURLs ?? []) {
    for (const verb of verbs ?? []) atoms.push({ verbs: [verb], nonResourceURLs: [url] });
  }
  return atoms;
}

/** Whether one rule covers another. */
function covers(held: PolicyRule, wanted: PolicyRule): boolean {
  return (
    all(wanted.verbs, (verb) => hasOrAll(held.verbs, verb)) &&
    all(wanted.apiGroups, (group) => hasOrAll(held.apiGroups, group)) &&
    all(wanted.resources, (resource) => coversResource(held, resource)) &&
    all(wanted.nonResourceURLs, (url) => held.nonResourceURLs?.some((one) => urlFits(one, url)) ?? false) &&
    coversNames(held, wanted)
  );
}

function coversResource({ resources }: PolicyRule, wanted: string): boolean {
  if (hasOrAll(resources, wanted)) return true;
  const slash = wanted.indexOf('/');
  return slash >= 0 && (resources?.includes(`${ALL}${wanted.slice(slash)}`) ?? false);
}

/** A rule without names is for all objects, so one with names never covers it. */
function coversNames(held: PolicyRule, wanted: PolicyRule): boolean {
  if (isEmpty(held.resourceNames)) return true;
  return (
    !isEmpty(wanted.resourceNames) &&
    all(wanted.resourceNames, (name) => held.resourceNames?.includes(name) ?? false)
  );
}

/** Rules of the same resource are joined with all their verbs; path rules stay. */
function joined(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const others: PolicyRule[] = [];
  const byResource = new Map<string, { readonly rule: PolicyRule; readonly verbs: string[] }>();
  for (const rule of rules) {
    if (!isJoinable(rule)) {
      others.push(rule);
      continue;
    }
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames]);
    const known = byResource.get(key);
    if (known === undefined) byResource.set(key, { rule, verbs: [...rule.verbs] });
    else for (const verb of rule.verbs) known.verbs.push(verb);
  }
  return [...others, ...[...byResource.values()].map(({ rule, verbs }) => ({ ...rule, verbs }))];
}

function isJoinable({ apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): boolean {
  const isSingle = apiGroups?.length === 1 && resources?.length === 1 && (resourceNames?.length ?? 0) <= 1;
  return isSingle && isEmpty(nonResourceURLs);
}

function isEmpty(list: readonly string[] | undefined): boolean {
  return list === undefined || list.length === 0;
}

function all(list: readonly string[] | undefined, holds: (text: string) => boolean): boolean {
  return list?.every(holds) ?? true;
}
