/**
 * Reads a range at the current or an earlier revision: the log has the earlier revision of each key that changed
 * since, and their values still exist.
 */
import { compareBytes } from '../../../base/json.ts';
import type { Entry, OutOfReach, Page, RangeQuery, Revision } from './store.ts';
import type { Span, Tables } from './tables.ts';

export function readRange(tables: Tables, query: RangeQuery): Page | OutOfReach {
  const { revision: current } = tables.state();
  const { prefix, after, limit, revision = current, counts = 'all' } = query;
  const outOfReach = checkReach(tables, revision);
  if (outOfReach !== undefined) return outOfReach;
  const span: Span = after === undefined ? { prefix } : { prefix, after };
  const past = revision === current ? NO_CHANGES : changesSince(tables, span, revision);
  const entries: Entry[] = [];
  let isWhole = true;
  for (const [key, keyRevision] of keysAt(tables, span, past)) {
    if (entries.length === limit) {
      isWhole = false;
      break;
    }
    entries.push({ key, revision: keyRevision, value: tables.value(keyRevision) });
  }
  if (isWhole) return { kind: 'page', entries, revision, remaining: 0 };
  const remaining = counts === 'all' ? countAt(tables, span, past) - entries.length : 1;
  return { kind: 'page', entries, revision, remaining };
}

export function checkReach(tables: Tables, revision: Revision): OutOfReach | undefined {
  const { revision: current, compacted } = tables.state();
  if (revision > current) return { kind: 'future', revision: current };
  return revision < compacted ? { kind: 'compacted', compactedRevision: compacted } : undefined;
}

function isIn({ prefix, after }: Span, key: string): boolean {
  return key.startsWith(prefix) && (after === undefined || compareBytes(key, after) > 0);
}

/** For each key that changed since: its revision then, and whether it exists now. */
type Changes = ReadonlyMap<string, { readonly was: Revision | undefined; isThereNow: boolean }>;

const NO_CHANGES: Changes = new Map();

function changesSince(tables: Tables, span: Span, revision: Revision): Changes {
  const changes = new Map<string, { readonly was: Revision | undefined; isThereNow: boolean }>();
  const { revision: current } = tables.state();
  for (let one = revision + 1; one <= current; one++) {
    const { key, kind, previous } = tables.record(one);
    if (!isIn(span, key)) continue;
    const isThereNow = kind === 'put';
    const known = changes.get(key);
    if (known === undefined) changes.set(key, { was: previous, isThereNow });
    else known.isThereNow = isThereNow;
  }
  return changes;
}

/** Merges two sorted sequences: unchanged keys, and changed ones in their earlier state. */
function* keysAt(tables: Tables, span: Span, changes: Changes): Generator<readonly [string, Revision]> {
  const changed: (readonly [string, Revision])[] = [];
  for (const [key, { was }] of changes) if (was !== undefined) changed.push([key, was]);
  changed.sort(([a], [b]) => compareBytes(a, b));
  let next = 0;
  for (const pair of tables.keys(span)) {
    if (changes.has(pair[0])) continue;
    for (; next < changed.length; next++) {
      const earlier = changed[next];
      if (earlier === undefined || compareBytes(earlier[0], pair[0]) > 0) break;
      yield earlier;
    }
    yield pair;
  }
  yield* changed.slice(next);
}

function countAt(tables: Tables, span: Span, changes: Changes): number {
  let count = tables.count(span);
  for (const { was, isThereNow } of changes.values()) {
    count += (was === undefined ? 0 : 1) - (isThereNow ? 1 : 0);
  }
  return count;
}
