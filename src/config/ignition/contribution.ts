/**
 * Who said what about an item: the source that had the last word, and those it overrode.
 */
import type { ContributionKind, Item, Section } from './merge-sections.ts';

export type Contribution = {
  readonly kind: ContributionKind;
  /** The path, the name, the device; `unit/drop-in` and `user/key` for what belongs to an item. */
  readonly name: string;
  /** The source that had the last word. */
  readonly source: string;
  /** Those whose say was replaced, in the order in which they came. */
  readonly overrode: readonly string[];
  /** Fields that still come from one that came before: `{ contents: '50-a' }`. */
  readonly kept?: { readonly [field: string]: string };
};

/** What has been said about one item so far. */
export type Sayings = {
  readonly sources: string[];
  /** For each field, who set it last. */
  readonly setBy: Map<string, string>;
  readonly overrode: Set<string>;
  /** For each part with a life of its own (a drop-in, a key), who set it, in order. */
  readonly parts: Map<string, string[]>;
};

/** `displaced`: what was said about another item that this one takes the place of. */
export function newSayings(displaced: readonly Sayings[]): Sayings {
  const before = displaced.flatMap(({ overrode, sources }) => [...overrode, ...sources]);
  return { sources: [], setBy: new Map(), overrode: new Set(before), parts: new Map() };
}

/** Writes down that the source said this. Naming an item is no say about it: only its other fields are. */
export function noteSaying(section: Section, sayings: Sayings, item: Item, source: string): void {
  sayings.sources.push(source);
  for (const field of Object.keys(item)) {
    if (field === section.identity || field === section.parts?.list) continue;
    const before = sayings.setBy.get(field);
    if (before !== undefined) sayings.overrode.add(before);
    sayings.setBy.set(field, source);
  }
  if (section.parts === undefined) return;
  for (const part of (item[section.parts.list] ?? []) as readonly unknown[]) {
    const name = typeof part === 'string' ? part : (part as { readonly name: string }).name;
    sayings.parts.set(name, [...(sayings.parts.get(name) ?? []), source]);
  }
}

export function contributionsOf(section: Section, key: string, sayings: Sayings): readonly Contribution[] {
  const parts = [...sayings.parts].map(([part, sources]) => {
    const name = `${key}/${part}`;
    // The same SSH key from two sources is no conflict, since keys only add up: the first one brought it.
    return section.parts?.kind === 'sshKey'
      ? { kind: 'sshKey' as const, name, source: sources[0] ?? '', overrode: [] }
      : { kind: 'dropin' as const, name, source: sources.at(-1) ?? '', overrode: sources.slice(0, -1) };
  });
  return [itemContribution(section.kind, key, sayings), ...parts];
}

function itemContribution(kind: ContributionKind, name: string, sayings: Sayings): Contribution {
  const { sources, setBy } = sayings;
  const setters = new Set(setBy.values());
  const source = sources.findLast((candidate) => setters.has(candidate)) ?? sources.at(-1) ?? '';
  const kept = Object.fromEntries([...setBy].filter(([, setter]) => setter !== source));
  const overrode = [...sayings.overrode].filter((other) => other !== source);
  return { kind, name, source, overrode, ...(Object.keys(kept).length > 0 && { kept }) };
}
