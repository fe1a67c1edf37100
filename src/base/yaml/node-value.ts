/**
 * Converts a node tree to the JSON value that kubectl sees: keys as strings, `<<` merged, aliases expanded.
 */
import { isAlias, isMap, isScalar, isSeq, type Pair, type ParsedNode, type Scalar, type YAMLMap } from 'yaml';
import type { Json } from '../json.ts';
import type { Flaw } from './read-nodes.ts';
import { type Resolved, resolvePlain, resolveTagged } from './resolve-scalar.ts';
import { MAX_ALIASED_SIZE } from './yaml-document.ts';

type NodeValue = { readonly value: Json; readonly flaws: readonly Flaw[] };

/** Called for a duplicate key, with its position and path. */
export type OnRepeated = (offset: number, key: string) => void;

/**
 * The value of a document. With problems the value is incomplete and must not be used. A duplicate key is a problem,
 * unless a callback for them is given: then the last one counts.
 */
export function nodeValue(contents: ParsedNode | null, onRepeated?: OnRepeated): NodeValue {
  const flaws: Flaw[] = [];
  const reading: Reading = {
    flaws,
    anchors: new Map(),
    open: new Set(),
    aliasedSize: 0,
    onRepeated:
      onRepeated ??
      ((offset, key) => flaws.push({ offset, message: `the key ${quoteKey(key)} is given twice` })),
  };
  const { value } = convert(contents, reading);
  return { value, flaws: reading.flaws };
}

/** A value and its size after alias expansion: values plus characters. */
type Sized = { readonly value: Json; readonly size: number };

type Reading = {
  readonly flaws: Flaw[];
  readonly anchors: Map<string, Sized>;
  /** Anchors whose value is being read: an alias to one of them would contain itself. */
  readonly open: Set<string>;
  readonly onRepeated: OnRepeated;
  aliasedSize: number;
};

const nothing: Sized = { value: null, size: 1 };

function convert(node: unknown, reading: Reading): Sized {
  if (isAlias(node)) return convertAlias(node.source, startOf(node), reading);
  const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
  if (anchor === undefined) return convertOwn(node, reading);
  reading.open.add(anchor);
  const sized = convertOwn(node, reading);
  reading.open.delete(anchor);
  reading.anchors.set(anchor, sized);
  return sized;
}

function convertOwn(node: unknown, reading: Reading): Sized {
  if (isScalar(node)) return convertScalar(node, reading);
  if (isMap(node)) return convertMap(node, reading);
  if (!isSeq(node)) return nothing;
  let size = 1;
  const items: Json[] = [];
  for (const item of node.items) {
    const sized = convert(item, reading);
    items.push(sized.value);
    size += sized.size;
  }
  return { value: items, size };
}

function convertAlias(name: string, offset: number, reading: Reading): Sized {
  const target = reading.anchors.get(name);
  if (reading.open.has(name)) {
    reading.flaws.push({ offset, message: 'the alias stands inside the value that it names' });
    return nothing;
  }
  if (target === undefined) {
    reading.flaws.push({ offset, message: 'the alias names no anchor above it in this document' });
    return nothing;
  }
  const before = reading.aliasedSize;
  reading.aliasedSize += target.size;
  if (reading.aliasedSize <= MAX_ALIASED_SIZE) return target;
  if (before <= MAX_ALIASED_SIZE) {
    reading.flaws.push({
      offset,
      message: `aliases add more than ${MAX_ALIASED_SIZE} values and characters`,
    });
  }
  return nothing;
}

function convertScalar(node: Scalar, reading: Reading): Sized {
  const { value } = take(scalarValue(node), startOf(node), reading);
  if (typeof value !== 'string') return { value, size: 1 };
  if (/\p{Surrogate}/u.test(value)) {
    reading.flaws.push({ offset: startOf(node), message: 'half of a surrogate pair is not a character' });
  }
  return { value, size: 1 + value.length };
}

function scalarValue(node: Scalar): Resolved {
  const text = node.source ?? '';
  if (node.tag !== undefined) return resolveTagged(node.tag, text);
  return node.type === 'PLAIN' || node.type === undefined
    ? resolvePlain(text)
    : { kind: 'value', value: text };
}

function take(resolved: Resolved, offset: number, reading: Reading): { readonly value: Json } {
  if (resolved.kind === 'value') return resolved;
  reading.flaws.push({ offset, message: resolved.message });
  return nothing;
}

function convertMap(node: YAMLMap, reading: Reading): Sized {
  const entries = new Map<string, Json>();
  const given = new Set<string>();
  let size = 1;
  for (const pair of node.items) {
    const offset = startOf(pair.key);
    if (isMergeKey(pair)) {
      const merged = convert(pair.value, reading);
      size += merged.size;
      mergeInto(entries, merged.value, offset, reading);
      continue;
    }
    const key = convertKey(pair.key, reading);
    const sized = convert(pair.value, reading);
    if (key === undefined) continue;
    if (given.has(key)) reading.onRepeated(offset, key);
    given.add(key);
    entries.set(key, sized.value);
    size += 1 + key.length + sized.size;
  }
  // `Object.fromEntries` defines keys rather than assigning them, so `__proto__` is a key like any other.
  return { value: Object.fromEntries(entries), size };
}

function isMergeKey(pair: Pair): boolean {
  const { key } = pair;
  if (!isScalar(key) || key.source !== '<<') return false;
  return key.tag === 'tag:yaml.org,2002:merge' || (key.type === 'PLAIN' && key.tag === undefined);
}

/**
 * Of several merged maps the first wins. Contrary to the YAML specification, kubectl lets a merge override the keys
 * before it, so `<<` belongs first in a map; we must read what kubectl reads.
 */
function mergeInto(entries: Map<string, Json>, value: Json, offset: number, reading: Reading): void {
  const sources: readonly Json[] = isList(value) ? value : [value];
  for (const source of sources.toReversed()) {
    if (isList(source) || typeof source !== 'object' || source === null) {
      reading.flaws.push({ offset, message: 'only a map or a list of maps can be merged with <<' });
      return;
    }
    for (const [key, item] of Object.entries(source)) entries.set(key, item);
  }
}

function convertKey(node: unknown, reading: Reading): string | undefined {
  const { value } = convert(node, reading);
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  const message = value === null ? 'a key is missing here' : 'a key must be a single text, number or boolean';
  reading.flaws.push({ offset: startOf(node), message });
  return undefined;
}

/** Field names are not secret, but a key may be of any length. */
function quoteKey(key: string): string {
  return JSON.stringify(key.length > 80 ? `${key.slice(0, 80)}…` : key);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** The position of a node; nodes that the parser inserted for missing ones have one too. */
export function startOf(node: unknown): number {
  const range = isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range : undefined;
  return range?.[0] ?? 0;
}
