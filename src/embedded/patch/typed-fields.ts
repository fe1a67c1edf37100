/**
 * The field set of an object, and the object without some of its fields.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { type FieldSet, FieldSetBuilder, type FieldSetChild, isEmptySet } from './field-set.ts';
import { isJsonList } from './json-values.ts';
import { fieldElement, type PathElement } from './path-element.ts';
import { type ListShape, type MapShape, type Shape, shapeOfField } from './shape.ts';
import { dispatchKind, filledList, filledObject, kindOf, knownElement } from './typed-value.ts';

/** Every leaf and every list item. */
export function fieldsOf(shape: Shape, value: Json): FieldSet {
  const root = new FieldSetBuilder();
  collect(shape, value, { above: root, element: undefined });
  return root.build();
}

/** The last path element of a value and the node above it; undefined for the root. */
type Step = { readonly above: FieldSetBuilder; readonly element: PathElement | undefined };

function collect(shape: Shape, value: Json, step: Step): void {
  const { map, scalar, list } = shape;
  const kind = kindOf(shape, value);
  // Like `dispatchKind`, which is too slow here.
  if (map !== undefined && (kind === 'map' || kind === 'open')) {
    if (map.isAtomic) insert(step);
    else if (isJsonObject(value)) collectFields(map, value, placeBehind(step));
  } else if (scalar !== undefined && (kind === 'scalar' || kind === 'open')) insert(step);
  else if (list?.isAtomic === true) insert(step);
  else if (list !== undefined && isJsonList(value)) collectItems(list, value, placeBehind(step));
}

function insert({ above, element }: Step): void {
  if (element !== undefined) above.add(element);
}

function placeBehind({ above, element }: Step): FieldSetBuilder {
  return element === undefined ? above : above.below(element);
}

/** Fields that the schema does not name are members in addition to their content, and so are empty ones. */
function collectFields(map: MapShape, value: JsonObject, location: FieldSetBuilder): void {
  for (const name of Object.keys(value)) {
    const item = value[name] ?? null;
    const known = map.field(name);
    const element = known?.element ?? fieldElement(name);
    collect(known?.shape ?? map.others ?? {}, item, { above: location, element });
    const isEmpty = item === null || (isJsonObject(item) && filledObject(item) === undefined);
    if (isEmpty || known === undefined) location.add(element);
  }
}

function collectItems(list: ListShape, items: readonly Json[], location: FieldSetBuilder): void {
  const elements = items.map((item) => knownElement(list, item));
  const times = new Map<string, number>();
  for (const { id } of elements) times.set(id, (times.get(id) ?? 0) + 1);
  for (const [index, element] of elements.entries()) {
    // The content of duplicate items has no path.
    if (times.get(element.id) === 1) collect(list.items, items[index] ?? null, { above: location, element });
    location.add(element);
  }
}

/** The value without the fields of the set; null if nothing is left. An atomic list or map is removed as a whole. */
export function withoutTyped(shape: Shape, value: Json, removed: FieldSet): Json {
  const rest = dispatchKind<Json>(kindOf(shape, value), shape, {
    scalar: () => value,
    map: (map) => {
      const fields = filledObject(value);
      return fields === undefined || map.isAtomic ? null : fieldsWithout(map, fields, removed);
    },
    list: (list) => {
      const items = filledList(value);
      return items === undefined || list.isAtomic ? null : itemsWithout(list, items, removed);
    },
  });
  return rest ?? null;
}

function fieldsWithout(map: MapShape, value: JsonObject, removed: FieldSet): Json {
  const kept: [string, Json][] = [];
  for (const [name, item] of Object.entries(value)) {
    const element = fieldElement(name);
    if (removed.members.has(element.id)) continue;
    kept.push([name, partOf(shapeOfField(map, name) ?? {}, item, removed.children.get(element.id))]);
  }
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

function itemsWithout(list: ListShape, items: readonly Json[], removed: FieldSet): Json {
  const kept: Json[] = [];
  for (const item of items) {
    const element = knownElement(list, item);
    if (removed.members.has(element.id)) continue;
    kept.push(partOf(list.items, item, removed.children.get(element.id)));
  }
  return kept.length === 0 ? null : kept;
}

function partOf(shape: Shape, item: Json, removed: FieldSetChild | undefined): Json {
  return removed === undefined || isEmptySet(removed.set) ? item : withoutTyped(shape, item, removed.set);
}

/** The set plus every named field on the path to one of its members. */
export function withNamedFields(shape: Shape, set: FieldSet): FieldSet {
  if (set.children.size === 0) return set;
  const members = new Map(set.members);
  const children = new Map<string, FieldSetChild>();
  for (const [id, child] of set.children) {
    const { element } = child;
    if (element.kind === 'field' && shape.map?.field(element.name) !== undefined) members.set(id, element);
    const below = withNamedFields(shapeBelow(shape, element), child.set);
    children.set(id, below === child.set ? child : { element, set: below });
  }
  return { members, children };
}

function shapeBelow({ map, list }: Shape, element: PathElement): Shape {
  if (element.kind === 'field' && map !== undefined) return shapeOfField(map, element.name) ?? {};
  return element.kind === 'key' && list !== undefined ? list.items : {};
}
