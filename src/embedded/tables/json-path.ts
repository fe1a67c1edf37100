/**
 * JSONPath as in the printer columns of a CRD: `.status.conditions[?(@.type=="Ready")].status`.
 *
 * It is the dialect of Kubernetes, which is older and more lenient than RFC 9535. This file evaluates paths;
 * `parse-json-path.ts` parses them.
 */
import { compareBytes, isObject, type Json } from '../../base/json.ts';
import { compareValues } from './compare-values.ts';

export type JsonPath = readonly Step[];

export type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'wildcard' }
  /** `..`: the value itself and everything in it. */
  | { readonly kind: 'descent' }
  | { readonly kind: 'slice'; readonly slice: Slice }
  | { readonly kind: 'union'; readonly paths: readonly JsonPath[] }
  | { readonly kind: 'filter'; readonly filter: Filter }
  /** A number or boolean, once for each value found so far. */
  | { readonly kind: 'literal'; readonly value: number | boolean }
  /** A quoted string, which replaces everything found so far. */
  | { readonly kind: 'text'; readonly text: string }
  /** An unknown word; evaluating it fails. */
  | { readonly kind: 'unknown' };

export type Slice = {
  readonly from: number | undefined;
  /** Undefined: up to the end. */
  readonly to: number | undefined;
  readonly step: number | undefined;
  /** `[2]`, whose end follows from its start. */
  readonly isIndex: boolean;
};

type Filter = {
  readonly left: JsonPath;
  /** Without an operator the filter tests for existence. */
  readonly operator: string | undefined;
  readonly right: JsonPath;
};

/** What the path finds; undefined if it cannot be evaluated: an index out of range, a filter on a non-list. */
export function find(path: JsonPath, root: Json): Found {
  return walk(path, [root]);
}

type Found = readonly Json[] | undefined;

function walk(path: JsonPath, start: readonly Json[]): Found {
  let values: Found = start;
  for (const step of path) {
    values = take(step, values);
    if (values === undefined) return undefined;
  }
  return values;
}

function take(step: Step, values: readonly Json[]): Found {
  switch (step.kind) {
    case 'field':
      return values.flatMap((value) => memberOf(value, step.name));
    case 'wildcard':
      return values.flatMap(membersOf);
    case 'descent':
      return values.flatMap(descend);
    case 'slice':
      return takeSlices(step.slice, values);
    case 'union':
      return all(step.paths.map((path) => walk(path, values)));
    case 'filter':
      return all(values.map((value) => filterItems(step.filter, value)));
    case 'literal':
      return values.map(() => step.value);
    case 'text':
      return [step.text];
    case 'unknown':
      return undefined;
  }
}

/** Undefined if any of the parts is. */
function all(parts: readonly Found[]): Found {
  const values: Json[] = [];
  for (const part of parts) {
    if (part === undefined) return undefined;
    for (const value of part) values.push(value);
  }
  return values;
}

function memberOf(value: Json, name: string): readonly Json[] {
  const member = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return member === undefined ? [] : [member];
}

/** kube-apiserver iterates over maps in random order; ours is by key, so that cells are stable. */
function membersOf(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return [];
  return Object.keys(value)
    .sort(compareBytes)
    .flatMap((key) => memberOf(value, key));
}

/** Strings count like lists and maps; numbers and booleans do not. */
function descend(value: Json): readonly Json[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  const members = membersOf(value);
  return members.length === 0 ? [] : [value, ...members.flatMap(descend)];
}

function takeSlices(slice: Slice, values: readonly Json[]): Found {
  const found: Json[] = [];
  for (const value of values) {
    if (value === null) continue;
    if (!Array.isArray(value)) return undefined;
    const range = rangeOf(slice, value.length);
    if (range === undefined) return undefined;
    // kube-apiserver stops at the first empty slice, whatever follows.
    if (range.from === range.to) return found;
    for (let index = range.from; index < range.to; index += range.step) found.push(value[index]);
  }
  return found;
}

type Range = { readonly from: number; readonly to: number; readonly step: number };

/** Negative positions count from the end. A range that exceeds the list is invalid. */
function rangeOf(slice: Slice, length: number): Range | undefined {
  const { from: first = 0, step = 1, isIndex } = slice;
  const end = isIndex ? first + 1 : (slice.to ?? length);
  const from = first < 0 ? first + length : first;
  const to = end < 0 || (end === 0 && isIndex) ? end + length : end;
  if (from === to) return { from, to, step: 1 };
  const isInside = from >= 0 && from < length && to <= length && from < to;
  return isInside && step > 0 ? { from, to, step } : undefined;
}

/** Undefined if the value is no list, or one of its items cannot be compared. */
function filterItems(filter: Filter, value: Json): Found {
  if (!Array.isArray(value)) return undefined;
  const found: Json[] = [];
  for (const item of value) {
    const holds = matchesFilter(filter, item);
    if (holds === undefined) return undefined;
    if (holds) found.push(item);
  }
  return found;
}

function matchesFilter({ left, operator, right }: Filter, item: Json): boolean | undefined {
  const leftValues = find(left, item);
  // For existence, kube-apiserver treats a path that cannot be evaluated as found.
  if (operator === undefined) return leftValues === undefined || leftValues.length > 0;
  if (leftValues === undefined || leftValues.length > 1) return undefined;
  if (leftValues[0] === undefined) return false;
  const rightValues = find(right, item);
  if (rightValues === undefined || rightValues.length > 1) return undefined;
  return rightValues[0] === undefined ? false : compareValues(operator, leftValues[0], rightValues[0]);
}
