/**
 * Every function that a rule can call.
 */
import { CONVERSIONS, TYPE_NAMES } from './cel-conversions.ts';
import { FORMATS_LIBRARY } from './cel-formats.ts';
import { LISTS } from './cel-lists.ts';
import { NETWORK } from './cel-network.ts';
import { OPTIONALS } from './cel-optionals.ts';
import type { Library, Overload } from './cel-overloads.ts';
import { QUANTITIES } from './cel-quantities.ts';
import { STRINGS } from './cel-strings.ts';
import { TIMES } from './cel-times.ts';

const LIBRARIES: readonly Library[] = [
  CONVERSIONS,
  STRINGS,
  LISTS,
  TIMES,
  OPTIONALS,
  NETWORK,
  QUANTITIES,
  FORMATS_LIBRARY,
];

/** `size(x)`, and namespaced ones such as `sets.contains(a, b)`. */
export const FUNCTIONS: ReadonlyMap<string, readonly Overload[]> = collect('functions');

/** `x.size()`. */
export const METHODS: ReadonlyMap<string, readonly Overload[]> = collect('methods');

export { TYPE_NAMES };

/** Several libraries may declare the same name for their own types. */
function collect(part: 'functions' | 'methods'): ReadonlyMap<string, readonly Overload[]> {
  const all = new Map<string, Overload[]>();
  for (const library of LIBRARIES) {
    for (const [name, overloads] of Object.entries(library[part])) {
      all.set(name, [...(all.get(name) ?? []), ...overloads]);
    }
  }
  return all;
}
