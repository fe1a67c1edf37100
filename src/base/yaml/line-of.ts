/**
 * The line of a field.
 *
 * Only messages need it, and node trees are large: a document remembers its source text, and its tree is built again
 * on demand.
 */
import { isAlias, isMap, isScalar, isSeq, type Pair, type YAMLMap } from 'yaml';
import { assert } from '../errors.ts';
import { startOf } from './node-value.ts';
import { readNodes } from './read-nodes.ts';
import type { TextRange } from './split-text.ts';
import type { TextPositions } from './text-positions.ts';
import type { YamlDocument } from './yaml-document.ts';

/**
 * The line of a field, such as `spec.config.storage.files[2].mode` or `metadata.labels[app]`; for an absent field the
 * line of its nearest parent.
 */
export function lineOf(document: YamlDocument, path: string): number {
  const source = sources.get(document);
  assert(source !== undefined, 'lineOf takes documents that parseYaml returned');
  const { text, range, positions } = source;
  source.tree ??= { root: readNodes(text.slice(range.start, range.end)).documents[0]?.contents };
  return positions.lineAt(range.start + offsetOf(source.tree.root, path));
}

/** Called by `parseYaml` for every document that it returns. */
export function rememberSource(document: YamlDocument, source: Omit<Source, 'tree'>): void {
  sources.set(document, { ...source });
}

type Source = {
  readonly text: string;
  readonly range: TextRange;
  readonly positions: TextPositions;
  tree?: { readonly root: unknown };
};

const sources = new WeakMap<YamlDocument, Source>();

function offsetOf(root: unknown, path: string): number {
  let node = root;
  let offset = startOf(root);
  let rest = path;
  while (rest !== '') {
    const step = stepInto(node, rest);
    if (step === undefined) return offset;
    ({ node, offset, rest } = step);
  }
  return offset;
}

type Step = { readonly node: unknown; readonly offset: number; readonly rest: string };

function stepInto(node: unknown, path: string): Step | undefined {
  const bracket = /^\[([^\]]*)\]\.?/.exec(path);
  if (isSeq(node)) {
    const item = bracket === null ? undefined : node.items[Number(bracket[1])];
    return item === undefined || bracket === null
      ? undefined
      : { node: item, offset: startOf(item), rest: path.slice(bracket[0].length) };
  }
  if (!isMap(node)) return undefined;
  const pairs = pairsOf(node);
  if (bracket !== null) {
    const pair = pairs.get(bracket[1] ?? '');
    return pair === undefined ? undefined : intoPair(pair, path.slice(bracket[0].length));
  }
  return intoLongestKey(pairs, path);
}

const indexes = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();

/** Indexed by key, once per map: an input may have thousands of problems in a map of thousands of keys. */
function pairsOf(map: YAMLMap): ReadonlyMap<string, Pair> {
  const known = indexes.get(map);
  if (known !== undefined) return known;
  const pairs = new Map<string, Pair>();
  for (const pair of map.items) {
    const key = keyOf(pair);
    if (key !== undefined && !pairs.has(key)) pairs.set(key, pair);
  }
  indexes.set(map, pairs);
  return pairs;
}

/** Keys may contain dots, so the longest key that the path begins with is meant. */
function intoLongestKey(pairs: ReadonlyMap<string, Pair>, path: string): Step | undefined {
  for (let length = path.length; length > 0; length--) {
    const isEnd = length === path.length || path[length] === '.' || path[length] === '[';
    const pair = isEnd ? pairs.get(path.slice(0, length)) : undefined;
    if (pair === undefined) continue;
    const rest = path.slice(length);
    return intoPair(pair, rest.startsWith('.') ? rest.slice(1) : rest);
  }
  return undefined;
}

function intoPair(pair: Pair, rest: string): Step {
  return { node: pair.value, offset: startOf(pair.key), rest };
}

function keyOf(pair: Pair): string | undefined {
  if (isAlias(pair.key) || !isScalar(pair.key)) return undefined;
  return pair.key.source;
}
