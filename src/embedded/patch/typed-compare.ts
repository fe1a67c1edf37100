/**
 * The fields that differ between two objects of the same shape.
 */
import { isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts';
import { EMPTY_SET, type FieldSet, FieldSetBuilder } from './field-set.ts';
import { sameJson } from './json-values.ts';
import { fieldElement, type PathElement } from './path-element.ts';
import type { ListShape, MapShape, Shape } from './shape.ts';
import { filledList, type Kind, kindOf, knownElement } from './typed-value.ts';

export type Comparison = {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
  /** The limit was reached, and some differences are missing. */
  readonly isTruncated: boolean;
};

type CompareOptions = {
  /** These fields and everything below them are not compared. */
  readonly ignored?: FieldSet;
  /** The comparison stops when modified and added fields take more than this in FieldsV1. */
  readonly maxBytes?: number;
};

/** Both objects must be valid. */
export function compareTyped(
  shape: Shape,
  { before, after }: { readonly before: Json; readonly after: Json },
  { ignored = EMPTY_SET, maxBytes = Number.POSITIVE_INFINITY }: CompareOptions = {},
): Comparison {
  const root = new CompareNode(undefined, undefined, { ignored, budget: { bytes: maxBytes } });
  compare(shape, { before, after }, root);
  return {
    removed: root.built('removed'),
    modified: root.built('modified'),
    added: root.built('added'),
    isTruncated: root.isExhausted(),
  };
}

type Outcome = 'removed' | 'modified' | 'added';

/** The remaining size, shared by all nodes. */
type SizeBudget = { bytes: number };
/** An element takes at least its quotes, a colon, an empty object and a comma. */
const ELEMENT_BYTES = 6;

/** A node of the comparison. Field sets get nodes only when something is added. */
class CompareNode {
  readonly #parent: CompareNode | undefined;
  readonly #element: PathElement | undefined;
  readonly #ignored: FieldSet | undefined;
  readonly #budget: SizeBudget;
  #removed: FieldSetBuilder | undefined;
  #modified: FieldSetBuilder | undefined;
  #added: FieldSetBuilder | undefined;

  constructor(
    parent: CompareNode | undefined,
    element: PathElement | undefined,
    { ignored, budget }: { readonly ignored: FieldSet | undefined; readonly budget: SizeBudget },
  ) {
    this.#parent = parent;
    this.#element = element;
    this.#ignored = ignored;
    this.#budget = budget;
  }

  isExhausted(): boolean {
    return this.#budget.bytes < 0;
  }

  ignores(element: PathElement): boolean {
    return this.#ignored?.members.has(element.id) === true;
  }

  below(element: PathElement): CompareNode {
    const ignored = this.#ignored?.children.get(element.id)?.set;
    return new CompareNode(this, element, { ignored, budget: this.#budget });
  }

  /** Changes of the root are not recorded: no manager owns the whole object. */
  record(outcome: Outcome): void {
    if (this.#element !== undefined) this.#parent?.recordBelow(outcome, this.#element);
  }

  recordBelow(outcome: Outcome, element: PathElement): void {
    this.#builder(outcome).add(element);
    if (outcome !== 'removed') this.#budget.bytes -= element.id.length + ELEMENT_BYTES;
  }

  built(outcome: Outcome): FieldSet {
    return this.#builder(outcome).build();
  }

  #builder(outcome: Outcome): FieldSetBuilder {
    switch (outcome) {
      case 'removed':
        this.#removed ??= this.#opened(outcome);
        return this.#removed;
      case 'modified':
        this.#modified ??= this.#opened(outcome);
        return this.#modified;
      case 'added':
        this.#added ??= this.#opened(outcome);
        return this.#added;
    }
  }

  #opened(outcome: Outcome): FieldSetBuilder {
    if (this.#parent === undefined || this.#element === undefined) return new FieldSetBuilder();
    return this.#parent.#builder(outcome).below(this.#element);
  }
}

type Pair = { readonly before: Json | undefined; readonly after: Json | undefined };

function compare(shape: Shape, pair: Pair, node: CompareNode): void {
  const { before, after } = pair;
  // Updates share unchanged parts with the old object.
  if (before === after && before !== undefined) return;
  const left = kindOf(shape, before);
  const right = kindOf(shape, after);
  // A value that changed its type is compared as both types.
  if (before !== undefined && after !== undefined && left !== right) {
    compareAs(left, shape, pair, node);
  }
  compareAs(after === undefined ? left : right, shape, pair, node);
  if (before === undefined) node.record('added');
  else if (after === undefined) node.record('removed');
}

function compareAs(kind: Kind, { map, scalar, list }: Shape, pair: Pair, node: CompareNode): void {
  // Like `dispatchKind`, which is too slow here.
  if (map !== undefined && (kind === 'map' || kind === 'open')) {
    if (map.isAtomic) compareLeaf(pair, node);
    else compareMaps(map, pair, node);
  } else if (scalar !== undefined && (kind === 'scalar' || kind === 'open')) {
    compareLeaf(pair, node);
  } else if (list !== undefined) {
    const left = filledList(pair.before);
    const right = filledList(pair.after);
    if (list.isAtomic || (left === undefined && right === undefined)) compareLeaf(pair, node);
    else compareLists(list, left ?? [], right ?? [], node);
  }
}

/** The caller records that a value was added or removed. */
function compareLeaf({ before, after }: Pair, node: CompareNode): void {
  if (before !== undefined && after !== undefined && !sameJson(before, after)) node.record('modified');
}

const NO_FIELDS: JsonObject = {};

function compareMaps(map: MapShape, pair: Pair, node: CompareNode): void {
  const before = isJsonObject(pair.before) ? pair.before : NO_FIELDS;
  const after = isJsonObject(pair.after) ? pair.after : NO_FIELDS;
  // Once: there may be very many names.
  const namesBefore = Object.keys(before);
  const namesAfter = Object.keys(after);
  if (namesBefore.length === 0 && namesAfter.length === 0) {
    compareLeaf(pair, node);
    return;
  }
  for (const name of namesBefore) {
    compareField(map, name, { before: before[name], after: own(after, name) }, node);
  }
  for (const name of namesAfter) {
    if (node.isExhausted()) return;
    if (namesBefore.length > 0 && Object.hasOwn(before, name)) continue;
    compareField(map, name, { before: undefined, after: after[name] }, node);
  }
}

function compareField(map: MapShape, name: string, pair: Pair, node: CompareNode): void {
  const known = map.isUniform ? undefined : map.field(name);
  const element = known?.element ?? fieldElement(name);
  if (node.ignores(element)) return;
  const shape = known?.shape ?? map.others ?? {};
  const outcome = scalarOutcome(shape, pair);
  if (outcome === undefined) compare(shape, pair, node.below(element));
  else if (outcome !== 'same') node.recordBelow(outcome, element);
}

/** Scalars on both sides need no node. Undefined for anything else. */
function scalarOutcome({ map, scalar, list }: Shape, { before, after }: Pair): Outcome | 'same' | undefined {
  if (before === undefined) return isScalar(after) ? 'added' : undefined;
  if (after === undefined) return isScalar(before) ? 'removed' : undefined;
  if (!isScalar(before) || !isScalar(after)) return undefined;
  const isKnown = map !== undefined || scalar !== undefined || list !== undefined;
  return before === after || !isKnown ? 'same' : 'modified';
}

function isScalar(value: Json | undefined): boolean {
  return value !== undefined && value !== null && typeof value !== 'object';
}

function compareLists(
  list: ListShape,
  before: readonly Json[],
  after: readonly Json[],
  node: CompareNode,
): void {
  const left = grouped(list, before);
  const right = grouped(list, after);
  for (const [id, { element, items }] of left) {
    if (node.ignores(element)) continue;
    compareItems(list, { before: items, after: right.get(id)?.items ?? [] }, node.below(element));
  }
  for (const [id, { element, items }] of right) {
    if (node.isExhausted()) return;
    if (left.has(id) || node.ignores(element)) continue;
    compareItems(list, { before: [], after: items }, node.below(element));
  }
}

type Items = { readonly before: readonly Json[]; readonly after: readonly Json[] };

/** Duplicate items are owned together. */
function compareItems(list: ListShape, { before, after }: Items, node: CompareNode): void {
  const wereSeveral = before.length > 1;
  const areSeveral = after.length > 1;
  if (!wereSeveral && !areSeveral) {
    compare(list.items, { before: before[0], after: after[0] }, node);
  } else if (wereSeveral && areSeveral) {
    compareLeaf({ before, after }, node);
  } else if (wereSeveral) {
    if (after.length > 0) compare(list.items, { before: undefined, after: after[0] }, node);
    node.record('removed');
  } else {
    if (before.length > 0) compare(list.items, { before: before[0], after: undefined }, node);
    node.record('added');
  }
}

type Group = { readonly element: PathElement; readonly items: Json[] };

function grouped(list: ListShape, items: readonly Json[]): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>();
  for (const item of items) {
    const element = knownElement(list, item);
    const known = groups.get(element.id);
    if (known === undefined) groups.set(element.id, { element, items: [item] });
    else known.items.push(item);
  }
  return groups;
}
