/**
 * The sources of an item: the one that won, and those it overrode.
 */
import type { ContributionKind, Item, Section } from './merge-sections.ts';

export type Contribution = {
  readonly kind: ContributionKind;
  /** The path, name or device; `unit/drop-in` and `user/key` for parts of an item. */
  readonly name: string;
  /** The source that won. */
  readonly source: string;
  /** The sources that were overridden, in merge order. */
  readonly overrode: readonly string[];
  /** Fields that still come from an earlier source: `{ contents: '50-a' }`. */
  readonly kept?: { readonly [field: string]: string };
};

/** The history of one item. */
export type ItemHistory = {
  readonly sources: string[];
  /** For each field, the last source that set it. */
  readonly setBy: Map<string, string>;
  readonly overrode: Set<string>;
  /** For each part (a drop-in, a key), its source, in order. */
  readonly parts: Map<string, string[]>;
};

/** `displaced`: the history of another item that this one replaces. */
export function newHistory(displaced: readonly ItemHistory[]): ItemHistory {
  const before = displaced.flatMap(({ overrode, sources }) => [...overrode, ...sources]);
  return { sources: [], setBy: new Map(), overrode: new Set(before), parts: new Map() };
}

/** Records what the source sets. The key alone does not count, only other fields. */
export function recordSource(section: Section, history: ItemHistory, item: Item, source: string): void {
  history.sources.push(source);
  for (const field of Object.keys(item)) {
    if (field === section.identity || field === section.parts?.list) continue;
    const before = history.setBy.get(field);
    if (before !== undefined) history.overrode.add(before);
    history.setBy.set(field, source);
  }
  if (section.parts === undefined) return;
  for (const part of (item[section.parts.list] ?? []) as readonly unknown[]) {
    const name = typeof part === 'string' ? part : (part as { readonly name: string }).name;
    history.parts.set(name, [...(history.parts.get(name) ?? []), source]);
  }
}

export function contributionsOf(
  section: Section,
  key: string,
  history: ItemHistory,
): readonly Contribution[] {
  const parts = [...history.parts].map(([part, sources]) => {
    const name = `${key}/${part}`;
    // The same SSH key from two sources is no conflict, since keys are only added: the first source counts.
    return section.parts?.kind === 'sshKey'
      ? { kind: 'sshKey' as const, name, source: sources[0] ?? '', overrode: [] }
      : { kind: 'dropin' as const, name, source: sources.at(-1) ?? '', overrode: sources.slice(0, -1) };
  });
  return [itemContribution(section.kind, key, history), ...parts];
}

function itemContribution(kind: ContributionKind, name: string, history: ItemHistory): Contribution {
  const { sources, setBy } = history;
  const setters = new Set(setBy.values());
  const source = sources.findLast((candidate) => setters.has(candidate)) ?? sources.at(-1) ?? '';
  const kept = Object.fromEntries([...setBy].filter(([, setter]) => setter !== source));
  const overrode = [...history.overrode].filter((other) => other !== source);
  return { kind, name, source, overrode, ...(Object.keys(kept).length > 0 && { kept }) };
}
