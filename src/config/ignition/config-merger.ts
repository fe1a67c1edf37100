/**
 * Merges configs, later over earlier, and records the source of each part.
 *
 * The large lists (files, units and the like) are indexed by key while configs are added, so that each config costs
 * what it contains and not what has been merged before. The result is the same as merging pair by pair: an item keeps
 * its first position, new ones follow.
 */
import { configShape, IGNITION_VERSION, type IgnitionConfig } from './config.ts';
import {
  type Contribution,
  contributionsOf,
  type ItemHistory,
  newHistory,
  recordSource,
} from './contribution.ts';
import { encodeIgnition } from './encode-ignition.ts';
import { type Item, itemsOf, SECTIONS, type Section } from './merge-sections.ts';
import { mergeValues } from './merge-values.ts';

export type MergedConfig = {
  readonly config: IgnitionConfig;
  /** For each item, its sources. */
  readonly contributions: readonly Contribution[];
};

export class ConfigMerger {
  readonly #entries = new Map(SECTIONS.map(({ list }) => [list, new Map<string, Entry>()]));
  /** The small parts: the `ignition` section and kernel arguments. */
  #rest: Partial<IgnitionConfig> = {};

  absorb(config: IgnitionConfig, source: string): void {
    const { ignition, kernelArguments } = config;
    const rest = { ignition, ...(kernelArguments && { kernelArguments }) };
    // The parts come from configs of the same shape, so the merged value has it too; likewise below.
    this.#rest = mergeValues(configShape, this.#rest, rest) as Partial<IgnitionConfig>;
    for (const section of SECTIONS) {
      for (const item of itemsOf(config, section)) this.#absorbItem(section, item, source);
    }
  }

  finish(): MergedConfig {
    const groups: Record<string, Record<string, unknown>> = {};
    const contributions: Contribution[] = [];
    for (const section of SECTIONS) {
      const entries = this.#entriesOf(section.list);
      const group = groups[section.group] ?? {};
      groups[section.group] = group;
      group[section.list] = [...entries.values()].map(({ item }) => section.finish?.(item) ?? item);
      for (const [key, { history }] of entries) contributions.push(...contributionsOf(section, key, history));
    }
    const ignition = { ...this.#rest.ignition, version: IGNITION_VERSION };
    const config = { ...this.#rest, ignition, ...groups } as IgnitionConfig;
    return { config: encodeIgnition(config) as unknown as IgnitionConfig, contributions };
  }

  #absorbItem(section: Section, item: Item, source: string): void {
    const entries = this.#entriesOf(section.list);
    const key = section.shape.keyOf?.(item) ?? '';
    const known = entries.get(key);
    const history = known?.history ?? newHistory(this.#displace(section, key));
    recordSource(section, history, item, source);
    if (known === undefined) {
      entries.set(key, { item, history });
      return;
    }
    const parent = section.prepare?.(known.item, item) ?? known.item;
    known.item = mergeValues(section.shape.item, parent, item) as Item;
  }

  /** Removes the key from the lists that share it, and returns its history there. */
  #displace(section: Section, key: string): readonly ItemHistory[] {
    return section.siblings.flatMap((list) => {
      const entries = this.#entriesOf(list);
      const taken = entries.get(key);
      entries.delete(key);
      return taken === undefined ? [] : [taken.history];
    });
  }

  #entriesOf(list: string): Map<string, Entry> {
    // The constructor creates a map for every section.
    return this.#entries.get(list) as Map<string, Entry>;
  }
}

/** One item while configs are being merged. */
type Entry = { item: Item; readonly history: ItemHistory };
