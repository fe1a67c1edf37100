/**
 * All functions of CEL.
 */
import { AUTHORIZATION } from './authorization.ts';
import { CONVERSIONS, TYPE_NAMES } from './conversions.ts';
import { FORMATS_LIBRARY } from './formats.ts';
import { LISTS } from './lists.ts';
import { NETWORK } from './network.ts';
import { OPTIONALS } from './optionals.ts';
import type { Library, Overload } from './overloads.ts';
import { QUANTITIES } from './quantities.ts';
import { STRINGS } from './strings.ts';
import { TIMES } from './times.ts';

const LIBRARIES: readonly Library[] = [
  CONVERSIONS,
  STRINGS,
  LISTS,
  TIMES,
  OPTIONALS,
  NETWORK,
  QUANTITIES,
  FORMATS_LIBRARY,
  AUTHORIZATION,
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
