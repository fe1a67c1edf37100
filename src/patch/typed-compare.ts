/**
 * Which fields differ between two objects of one shape.
 */
import type { Json, JsonObject } from '../json.ts';
import { type FieldSet, FieldSetBuilder, recursiveDifferenceOf } from './field-set.ts';
import { fieldOf, sameJson } from './json-values.ts';
import { fieldElement, type PathElement } from './path-element.ts';
import { type ListShape, type MapShape, type Shape, shapeOfField } from './shape.ts';
import { filledList, filledObject, kindOf, knownElement, treatAs } from './typed-value.ts';

export type Comparison = {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
};

/** Both were checked before. */
export function compareTyped(shape: Shape, before: Json, after: Json): Comparison {
  const removed = new FieldSetBuilder();
  const modified = new FieldSetBuilder();
  const added = new FieldSetBuilder();
  compare(shape, { before, after }, { path: [], removed, modified, added });
  return { removed: removed.build(), modified: modified.build(), added: added.build() };
}

/** The comparison without some fields and all that lies below them. */
export function withoutFields({ removed, modified, added }: Comparison, fields: FieldSet): Comparison {
  return {
    removed: recursiveDifferenceOf(removed, fields),
    modified: recursiveDifferenceOf(modified, fields),
    added: recursiveDifferenceOf(added, fields),
  };
}

type Pair = { readonly before: Json | undefined; readonly after: Json | undefined };
type Context = {
  /** Leads to the pair; one list that grows and shrinks on the way through the objects. */
  readonly path: PathElement[];
  readonly removed: FieldSetBuilder;
  readonly modified: FieldSetBuilder;
  readonly added: FieldSetBuilder;
};

function compare(shape: Shape, pair: Pair, context: Context): void {
  const { before, after } = pair;
  const left = kindOf(shape, before);
  const right = kindOf(shape, after);
  // A value that became something else differs as what it was and as what it is.
  if (before !== undefined && after !== undefined && left !== right) {
    compareAs(left, shape, pair, context);
  }
  compareAs(after === undefined ? left : right, shape, pair, context);
  if (before === undefined) context.added.insert(context.path);
  else if (after === undefined) context.removed.insert(context.path);
}

function compareAs(kind: ReturnType<typeof kindOf>, shape: Shape, pair: Pair, context: Context): void {
  treatAs(kind, shape, {
    scalar: () => compareLeaf(pair, context),
    map: (map) => {
      const left = filledObject(pair.before);
      const right = filledObject(pair.after);
      if (map.isAtomic || (left === undefined && right === undefined)) compareLeaf(pair, context);
      else compareMaps(map, left ?? {}, right ?? {}, context);
    },
    list: (list) => {
      const left = filledList(pair.before);
      const right = filledList(pair.after);
      if (list.isAtomic || (left === undefined && right === undefined)) compareLeaf(pair, context);
      else compareLists(list, left ?? [], right ?? [], context);
    },
  });
}

/** That a value came or went is noted by whoever compares it. */
function compareLeaf({ before, after }: Pair, { path, modified }: Context): void {
  if (before !== undefined && after !== undefined && !sameJson(before, after)) modified.insert(path);
}

function compareMaps(map: MapShape, before: JsonObject, after: JsonObject, context: Context): void {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const shape = shapeOfField(map, name) ?? {};
    const pair = { before: fieldOf(before, name), after: fieldOf(after, name) };
    context.path.push(fieldElement(name));
    compare(shape, pair, context);
    context.path.pop();
  }
}

function compareLists(
  list: ListShape,
  before: readonly Json[],
  after: readonly Json[],
  context: Context,
): void {
  const left = grouped(list, before);
  const right = grouped(list, after);
  for (const [id, { element }] of new Map([...left, ...right])) {
    context.path.push(element);
    compareItems(list, { before: left.get(id)?.items ?? [], after: right.get(id)?.items ?? [] }, context);
    context.path.pop();
  }
}

type Items = { readonly before: readonly Json[]; readonly after: readonly Json[] };

/** Items that nothing tells apart are owned together, as one thing. */
function compareItems(list: ListShape, { before, after }: Items, context: Context): void {
  const wereSeveral = before.length > 1;
  const areSeveral = after.length > 1;
  if (!wereSeveral && !areSeveral) {
    compare(list.items, { before: before[0], after: after[0] }, context);
  } else if (wereSeveral && areSeveral) {
    compareLeaf({ before, after }, context);
  } else if (wereSeveral) {
    if (after.length > 0) compare(list.items, { before: undefined, after: after[0] }, context);
    context.removed.insert(context.path);
  } else {
    if (before.length > 0) compare(list.items, { before: before[0], after: undefined }, context);
    context.added.insert(context.path);
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
