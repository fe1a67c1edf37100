/**
 * Immutable sets of field paths, as trees; `FieldSetBuilder` builds one.
 *
 * Membership of a path implies nothing about paths above or below it.
 */
import { compareElements, fieldElement, type Path, type PathElement } from './path-element.ts';

export type FieldSet = {
  /** The members of this node, by id. */
  readonly members: ReadonlyMap<string, PathElement>;
  /** The nodes below this one. */
  readonly children: ReadonlyMap<string, FieldSetChild>;
};

export type FieldSetChild = { readonly element: PathElement; readonly set: FieldSet };

const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();
export const EMPTY_SET: FieldSet = { members: NOTHING, children: NOTHING };

export class FieldSetBuilder {
  // Allocated lazily: most of the very many nodes have only one of the two.
  private members: Map<string, PathElement> | undefined;
  private children: Map<string, { element: PathElement; builder: FieldSetBuilder }> | undefined;

  /** The root is never a member: no manager owns the whole object. */
  insert(path: Path): void {
    const last = path.at(-1);
    if (last === undefined) return;
    let location: FieldSetBuilder = this;
    for (let index = 0; index < path.length - 1; index++) {
      const element = path[index];
      if (element !== undefined) location = location.below(element);
    }
    location.add(last);
  }

  /** Adds a member right below this node. */
  add(element: PathElement): void {
    this.members ??= new Map();
    this.members.set(element.id, element);
  }

  build(): FieldSet {
    if (this.children === undefined) {
      return this.members === undefined ? EMPTY_SET : { members: this.members, children: NOTHING };
    }
    const children = new Map<string, FieldSetChild>();
    for (const [id, { element, builder }] of this.children) {
      const set = builder.build();
      if (set !== EMPTY_SET) children.set(id, { element, set });
    }
    if (children.size === 0 && this.members === undefined) return EMPTY_SET;
    return { members: this.members ?? NOTHING, children };
  }

  /** The node one step down. It counts only once something is added to it. */
  below(element: PathElement): FieldSetBuilder {
    this.children ??= new Map();
    const known = this.children.get(element.id);
    if (known !== undefined) return known.builder;
    const builder = new FieldSetBuilder();
    this.children.set(element.id, { element, builder });
    return builder;
  }
}

/** The set of paths that consist of field names: `[['metadata', 'name'], ['status']]`. */
export function setOfFields(paths: readonly (readonly string[])[]): FieldSet {
  const builder = new FieldSetBuilder();
  for (const names of paths) builder.insert(names.map(fieldElement));
  return builder.build();
}

export function isEmptySet({ members, children }: FieldSet): boolean {
  if (members.size > 0) return false;
  for (const { set } of children.values()) if (!isEmptySet(set)) return false;
  return true;
}

export function hasPath(set: FieldSet, path: Path): boolean {
  let location: FieldSet | undefined = set;
  for (const element of path.slice(0, -1)) location = location?.children.get(element.id)?.set;
  const last = path.at(-1);
  return last !== undefined && (location?.members.has(last.id) ?? false);
}

/** One of the two sets if it contains the other, so that caches by identity stay valid. */
export function unionOf(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || b === EMPTY_SET) return a;
  if (a === EMPTY_SET) return b;
  const children = new Map(a.children);
  let [isA, isB] = [true, true];
  for (const [id, child] of b.children) {
    const known = a.children.get(id);
    const set = known === undefined ? child.set : unionOf(known.set, child.set);
    if (set !== known?.set) isA = false;
    if (set !== child.set) isB = false;
    children.set(id, set === known?.set ? known : { element: child.element, set });
  }
  const members = new Map(a.members);
  for (const [id, element] of b.members) {
    if (!members.has(id)) members.set(id, element);
  }
  if (isA && children.size === a.children.size && members.size === a.members.size) return a;
  if (isB && children.size === b.children.size && members.size === b.members.size) return b;
  return { members, children };
}

export function intersectionOf(a: FieldSet, b: FieldSet): FieldSet {
  if (b === EMPTY_SET) return b;
  const members = membersThat(a, (id) => b.members.has(id));
  const children = childrenThat(a, (set, id) => {
    const other = b.children.get(id);
    return other === undefined ? EMPTY_SET : intersectionOf(set, other.set);
  });
  return setOf(a, members, children);
}

/** Removes from `a` the paths of `b`, but not what is below them. */
export function differenceOf(a: FieldSet, b: FieldSet): FieldSet {
  if (b === EMPTY_SET) return a;
  const members = membersThat(a, (id) => !b.members.has(id));
  const children = childrenThat(a, (set, id) => {
    const other = b.children.get(id);
    return other === undefined ? set : differenceOf(set, other.set);
  });
  return setOf(a, members, children);
}

/** Removes from `a` the paths of `b` and everything below them. */
export function recursiveDifferenceOf(a: FieldSet, b: FieldSet): FieldSet {
  if (b === EMPTY_SET) return a;
  const members = membersThat(a, (id) => !b.members.has(id));
  const children = childrenThat(a, (set, id) => {
    if (b.members.has(id)) return EMPTY_SET;
    const other = b.children.get(id);
    return other === undefined ? set : recursiveDifferenceOf(set, other.set);
  });
  return setOf(a, members, children);
}

/** The same set if nothing was removed. */
function setOf(before: FieldSet, members: FieldSet['members'], children: FieldSet['children']): FieldSet {
  if (members === before.members && children === before.children) return before;
  return members.size + children.size === 0 ? EMPTY_SET : { members, children };
}

/** Every path of the set: the members of each node first, in order, then those below. */
export function pathsOf(set: FieldSet): readonly Path[] {
  const paths: Path[] = [];
  const visit = ({ members, children }: FieldSet, prefix: Path): void => {
    for (const element of [...members.values()].sort(compareElements)) paths.push([...prefix, element]);
    for (const child of sortedChildren(children)) visit(child.set, [...prefix, child.element]);
  };
  visit(set, []);
  return paths;
}

function sortedChildren(children: ReadonlyMap<string, FieldSetChild>): readonly FieldSetChild[] {
  return [...children.values()].sort((a, b) => compareElements(a.element, b.element));
}

function membersThat(
  { members }: FieldSet,
  keeps: (id: string) => boolean,
): ReadonlyMap<string, PathElement> {
  const kept = new Map<string, PathElement>();
  for (const [id, element] of members) if (keeps(id)) kept.set(id, element);
  return kept.size === members.size ? members : kept;
}

/** Drops empty nodes. */
function childrenThat(
  { children }: FieldSet,
  change: (set: FieldSet, id: string) => FieldSet,
): ReadonlyMap<string, FieldSetChild> {
  if (children.size === 0) return children;
  const kept = new Map<string, FieldSetChild>();
  let isSame = true;
  for (const [id, child] of children) {
    const set = change(child.set, id);
    const isKept = !isEmptySet(set);
    if (set !== child.set || !isKept) isSame = false;
    if (isKept) kept.set(id, set === child.set ? child : { element: child.element, set });
  }
  return isSame ? children : kept;
}
