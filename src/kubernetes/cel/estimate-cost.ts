/**
 * The maximum cost of a rule, in the server's units, estimated before it is evaluated.
 *
 * The server refuses a CRD with a rule whose estimate is too high, so the estimates must be the same, to the unit.
 * Loops have as many iterations as the schema allows items. Sizes come from the path of an expression in the object,
 * from literals, from sizes of other expressions, or are unknown and unbounded. As on the server, a path that does not
 * begin at a variable is resolved from `self`.
 *
 * The order matters where it affects the result: arguments before the target, the size of a range after the body.
 */
import type { Bounds } from './bounds.ts';
import { type Operand, priceOf } from './call-costs.ts';
import type { CelType } from './cel-type.ts';
import { extended, NO_PATH, pathTo, type SharedPath, stepsOf } from './shared-path.ts';
import { either, exactly, priced, type Size, sum, TRAVERSAL, times, UNKNOWN } from './sizes.ts';
import { type BindingTree, type CallTree, type FieldTree, type LoopTree, RESULT, type Tree } from './tree.ts';

const LIST_COST = 10;
const MAP_COST = 30;

export function estimateCost(tree: Tree, self: Bounds): number {
  return new Estimate(self).cost(tree);
}

/** The sizes of the keys and items of a list or map that the rule itself constructs. */
type Entries = { readonly kind: 'list' | 'map'; readonly keys: Size; readonly items: Size };

type Local = {
  readonly path: SharedPath;
  readonly size: Size | undefined;
  readonly entries: Entries | undefined;
};

class Estimate {
  readonly #self: Bounds;
  readonly #paths = new Map<Tree, SharedPath>();
  readonly #sizes = new Map<Tree, Size>();
  readonly #entries = new Map<Tree, Entries>();
  readonly #locals = new Map<string, Local[]>();

  constructor(self: Bounds) {
    this.#self = self;
  }

  cost(tree: Tree): number {
    switch (tree.kind) {
      case 'literal':
        return 0;
      case 'name':
        this.#paths.set(tree, this.#local(tree.name)?.path ?? pathTo(tree.name));
        return 1;
      case 'field':
        return this.#fieldCost(tree);
      case 'call':
        return tree.name === 'dyn' ? this.#dynCost(tree) : this.#callCost(tree);
      case 'list':
        return this.#listCost(tree, tree.items);
      case 'map':
        return this.#mapCost(tree, tree.entries);
      case 'loop':
        return this.#loopCost(tree);
      case 'binding':
        return this.#bindingCost(tree);
    }
  }

  #fieldCost(tree: FieldTree): number {
    const operand = this.cost(tree.operand);
    if (tree.isTest) return operand;
    this.#paths.set(tree, extended(this.#pathOf(tree.operand), tree.name));
    const { kind } = tree.operand.type;
    return operand + (kind === 'map' || kind === 'object' ? 1 : 0);
  }

  /** `dyn` only removes the type, so the size of the argument is that of the result. */
  #dynCost(tree: CallTree): number {
    const [argument] = tree.args;
    if (argument === undefined) return 1;
    const cost = this.cost(argument) + 1;
    this.#keepSize(tree, this.#sizeOf(argument));
    this.#keepEntries(tree, this.#entriesOf(argument));
    return cost;
  }

  #callCost(tree: CallTree): number {
    const args: Operand[] = [];
    const costs: number[] = [];
    for (const arg of tree.args) {
      costs.push(this.cost(arg));
      args.push(this.#operand(arg));
    }
    const targetCost = tree.target === undefined ? 0 : this.cost(tree.target);
    const target = tree.target && this.#operand(tree.target);
    let highest = 0;
    let size: Size | undefined;
    for (const signature of tree.signatures) {
      const price = this.#price(tree, { target, args, costs, signature });
      highest = Math.max(highest, price.cost);
      if (price.size !== undefined) size = size === undefined ? price.size : either(size, price.size);
      const index = tree.name === '_[_]' ? this.#indexed(tree, signature[0]) : undefined;
      size = (index === undefined ? size : index.size) ?? this.#sizeOf(tree);
    }
    this.#keepSize(tree, size);
    return targetCost + highest;
  }

  /** With the arguments, not all of which are evaluated by operators like `&&` and `?:`. */
  #price(
    tree: CallTree,
    call: {
      readonly target: Operand | undefined;
      readonly args: readonly Operand[];
      readonly costs: readonly number[];
      readonly signature: readonly CelType[];
    },
  ): { readonly cost: number; readonly size?: Size } {
    const [first = 0, second = 0, third = 0] = call.costs;
    const [one = UNKNOWN, two = UNKNOWN, three = UNKNOWN] = call.args.map(({ size }) => size);
    const all = call.costs.reduce((total, cost) => total + cost, 0);
    switch (tree.name) {
      case '_&&_':
      case '_||_':
        return { cost: first + second };
      case '_?_:_': {
        const [, then, otherwise] = tree.args;
        this.#keepEntries(tree, this.#bothEntries(then, otherwise));
        return { cost: first + Math.max(second, third), size: either(two, three) };
      }
      case '_+_': {
        const [type] = call.signature;
        if (type?.kind !== 'string' && type?.kind !== 'bytes' && type?.kind !== 'list') break;
        this.#keepEntries(tree, this.#bothEntries(tree.args[0], tree.args[1]));
        const joined = sum(one, two);
        // Lists are concatenated without copying.
        return { cost: all + (type.kind === 'list' ? 1 : priced(joined, TRAVERSAL)), size: joined };
      }
      default:
        break;
    }
    const price = priceOf({ name: tree.name, ...call });
    return { ...price, cost: price.cost + all };
  }

  #indexed(tree: CallTree, type: CelType | undefined): { readonly size: Size | undefined } | undefined {
    const [container] = tree.args;
    if (container === undefined || (type?.kind !== 'list' && type?.kind !== 'map')) return undefined;
    this.#paths.set(tree, extended(this.#pathOf(container), type.kind === 'list' ? '@items' : '@values'));
    return { size: this.#entriesOf(container)?.items };
  }

  #listCost(tree: Tree, items: readonly Tree[]): number {
    const costs = items.map((item) => {
      const cost = this.cost(item);
      return { cost, size: this.#sizeOf(item) ?? UNKNOWN };
    });
    const size = costs.map((item) => item.size).reduce(either, items.length === 0 ? exactly(0) : NO_SIZE);
    this.#keepEntries(tree, { kind: 'list', keys: exactly(1), items: size });
    return costs.reduce((total, { cost }) => total + cost, LIST_COST);
  }

  #mapCost(tree: Tree, entries: readonly (readonly [Tree, Tree])[]): number {
    const start = entries.length === 0 ? exactly(0) : NO_SIZE;
    let [keys, items, total] = [start, start, MAP_COST];
    for (const [key, value] of entries) {
      total += this.cost(key) + this.cost(value);
      keys = either(keys, this.#sizeOf(key) ?? UNKNOWN);
      items = either(items, this.#sizeOf(value) ?? UNKNOWN);
    }
    this.#keepEntries(tree, { kind: 'map', keys, items });
    return total;
  }

  #loopCost(tree: LoopTree): number {
    const before = this.cost(tree.range) + this.cost(tree.initial);
    this.#push(RESULT, this.#binding(tree.initial));
    const { range, variables } = tree;
    const [first = '', second] = variables;
    if (second === undefined) {
      this.#push(first, this.#turn(range, this.#kindOf(range) === 'list' ? 'items' : 'keys'));
    } else {
      this.#push(first, this.#turn(range, 'keys'));
      this.#push(second, this.#turn(range, 'items'));
    }
    const turn = this.cost(tree.condition) + this.cost(tree.step);
    for (const variable of variables) this.#pop(variable);
    const after = this.cost(tree.result);
    this.#pop(RESULT);
    const count = this.#sizeOf(range) ?? UNKNOWN;
    if (tree.initial.kind === 'literal') this.#keepSize(tree, this.#sizeOf(tree.initial));
    if (tree.initial.kind === 'list' || tree.initial.kind === 'map') {
      this.#keepSize(tree, count);
      this.#keepEntries(tree, this.#entriesOf(tree.step));
    }
    return before + after + times(count.max, turn);
  }

  #bindingCost(tree: BindingTree): number {
    const value = this.cost(tree.value);
    this.#push(tree.name, this.#binding(tree.value));
    // The server expands it to a loop over an empty list, and charges for that list.
    const cost = LIST_COST + value + this.cost(tree.body);
    this.#pop(tree.name);
    this.#keepSize(tree, this.#sizeOf(tree.body));
    this.#keepEntries(tree, this.#entriesOf(tree.body));
    return cost;
  }

  /** The sizes of the variables of a loop. */
  #turn(range: Tree, part: 'keys' | 'items'): Local {
    const isList = this.#kindOf(range) === 'list';
    const step = part === 'keys' ? (isList ? '@indices' : '@keys') : isList ? '@items' : '@values';
    const size = this.#entriesOf(range)?.[part];
    return { path: extended(this.#pathOf(range), step), size, entries: undefined };
  }

  #kindOf(range: Tree): string {
    return this.#entriesOf(range)?.kind ?? range.type.kind;
  }

  #binding(value: Tree): Local {
    return { path: this.#pathOf(value), size: this.#sizeOf(value), entries: this.#entriesOf(value) };
  }

  #operand(tree: Tree): Operand {
    const path = this.#pathOf(tree);
    const size = this.#sizeOf(tree) ?? UNKNOWN;
    const { type } = tree;
    if (type.kind !== 'list') return { tree, size, items: undefined };
    const known = path.length === 0 ? undefined : this.#sizeAt([...stepsOf(path), '@items']);
    return { tree, size, items: { type: type.item, size: known ?? UNKNOWN } };
  }

  #sizeOf(tree: Tree): Size | undefined {
    const known = this.#sizes.get(tree) ?? literalSize(tree);
    if (known !== undefined) return known;
    const size = this.#sizeAt(stepsOf(this.#pathOf(tree)));
    if (size !== undefined) {
      this.#sizes.set(tree, size);
      return size;
    }
    if (isScalar(tree.type)) return exactly(1);
    return tree.kind === 'name' ? this.#local(tree.name)?.size : undefined;
  }

  /** The bounds at a path; its first step, which is a variable, is skipped. */
  #sizeAt(steps: readonly string[]): Size | undefined {
    if (steps.length === 0) return undefined;
    let at: Bounds | undefined = this.#self;
    for (const step of steps.slice(1)) {
      at =
        step === '@items' || step === '@values'
          ? at.items
          : step === '@keys'
            ? at.keys
            : at.fields?.get(step);
      if (at === undefined) return undefined;
    }
    return { min: 0, max: at.maxElements };
  }

  #pathOf(tree: Tree): SharedPath {
    const local = tree.kind === 'name' ? this.#local(tree.name) : undefined;
    return local?.path ?? this.#paths.get(tree) ?? NO_PATH;
  }

  #entriesOf(tree: Tree): Entries | undefined {
    const known = this.#entries.get(tree);
    return known ?? (tree.kind === 'name' ? this.#local(tree.name)?.entries : undefined);
  }

  #bothEntries(left: Tree | undefined, right: Tree | undefined): Entries | undefined {
    const one = left && this.#entriesOf(left);
    const other = right && this.#entriesOf(right);
    if (one === undefined || other === undefined) return undefined;
    return { kind: one.kind, keys: either(one.keys, other.keys), items: either(one.items, other.items) };
  }

  #keepSize(tree: Tree, size: Size | undefined): void {
    if (size !== undefined) this.#sizes.set(tree, size);
  }

  #keepEntries(tree: Tree, entries: Entries | undefined): void {
    if (entries !== undefined) this.#entries.set(tree, entries);
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #push(name: string, local: Local): void {
    this.#locals.set(name, [...(this.#locals.get(name) ?? []), local]);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }
}

/** The neutral element of `either`. */
const NO_SIZE: Size = { min: Number.POSITIVE_INFINITY, max: 0 };

function literalSize(tree: Tree): Size | undefined {
  switch (tree.kind) {
    case 'literal':
      if (typeof tree.value === 'string') return exactly([...tree.value].length);
      return exactly(tree.value instanceof Uint8Array ? tree.value.length : 1);
    case 'list':
      return exactly(tree.items.length);
    case 'map':
      return exactly(tree.entries.length);
    default:
      return undefined;
  }
}

const SCALARS: ReadonlySet<string> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

function isScalar(type: CelType): boolean {
  return type.kind === 'optional' ? isScalar(type.item) : SCALARS.has(type.kind);
}
