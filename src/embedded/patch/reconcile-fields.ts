/**
 * Reconciles field sets with a changed schema: the owner of parts of a list or map that is now atomic owns all of it.
 */
import { type FieldSet, type FieldSetChild, isEmptySet } from './field-set.ts';
import type { PathElement } from './path-element.ts';
import { type Shape, shapeOfField } from './shape.ts';
import { dispatchKind } from './typed-value.ts';

/** The set as it would be written with the current schema; the same set if nothing changes. */
export function reconciledFields(shape: Shape, set: FieldSet): FieldSet {
  if (upToDate.get(set) === shape) return set;
  const reconciled = reconciledBelow(shape, set);
  upToDate.set(reconciled, shape);
  return reconciled;
}

/** The shape that a set was last reconciled with. */
const upToDate = new WeakMap<FieldSet, Shape>();

function reconciledBelow(shape: Shape, set: FieldSet): FieldSet {
  let changed: { members: Map<string, PathElement>; children: Map<string, FieldSetChild> } | undefined;
  for (const [id, child] of set.children) {
    const { element } = child;
    const below = shapeBelow(shape, element);
    if (below === undefined) continue;
    const isWhole = isOwnedWhole(below, child.set);
    const inner = isWhole ? child.set : reconciledBelow(below, child.set);
    if (!isWhole && inner === child.set) continue;
    changed ??= { members: new Map(set.members), children: new Map(set.children) };
    if (isWhole) {
      changed.members.set(id, element);
      changed.children.delete(id);
    } else {
      changed.children.set(id, { element, set: inner });
    }
  }
  return changed ?? set;
}

/** Whether a manager of some parts owns the whole value. */
function isOwnedWhole(shape: Shape, parts: FieldSet): boolean {
  return (
    dispatchKind<boolean>('open', shape, {
      scalar: () => false,
      map: ({ isAtomic, isDeduced }) => isAtomic && !isDeduced && !isEmptySet(parts),
      list: ({ isAtomic }) => isAtomic,
    }) ?? false
  );
}

/** Undefined if the schema does not specify the element. */
function shapeBelow(shape: Shape, element: PathElement): Shape | undefined {
  return dispatchKind<Shape | undefined>('open', shape, {
    scalar: () => undefined,
    map: (map) => {
      if (map.isDeduced) return undefined;
      return element.kind === 'field' ? shapeOfField(map, element.name) : map.others;
    },
    list: ({ items }) => items,
  });
}
