/**
 * The checked AST of a rule, as on the server: macros expanded to loops, functions resolved, every node with its type.
 * It is not evaluated; the cost estimate is computed from it (`estimate-cost.ts`).
 */
import { BOOL, type CelType, DYN, INT, listOf, mapFrom, optionalOf } from './cel-type.ts';
import type { Value } from './values.ts';

export type Tree =
  | { readonly kind: 'literal'; readonly type: CelType; readonly value: Value }
  | { readonly kind: 'name'; readonly type: CelType; readonly name: string }
  | FieldTree
  | CallTree
  | { readonly kind: 'list'; readonly type: CelType; readonly items: readonly Tree[] }
  | { readonly kind: 'map'; readonly type: CelType; readonly entries: readonly (readonly [Tree, Tree])[] }
  | LoopTree
  | BindingTree;

/** `isTest`: only whether the field exists (`has(a.b)`). */
export type FieldTree = {
  readonly kind: 'field';
  readonly type: CelType;
  readonly operand: Tree;
  readonly name: string;
  readonly isTest: boolean;
};

export type CallTree = {
  readonly kind: 'call';
  readonly type: CelType;
  readonly name: string;
  /** The receiver of a method. */
  readonly target: Tree | undefined;
  readonly args: readonly Tree[];
  /** The parameters of every overload that may be called, with the target first. */
  readonly signatures: readonly (readonly CelType[])[];
};

/** Folds the items of `range` into `RESULT`. With two variables the first is the index or key. */
export type LoopTree = {
  readonly kind: 'loop';
  readonly type: CelType;
  readonly range: Tree;
  readonly variables: readonly string[];
  readonly initial: Tree;
  readonly condition: Tree;
  readonly step: Tree;
  readonly result: Tree;
};

/** A variable for a value within `body`; the expansion of `optMap`. */
export type BindingTree = {
  readonly kind: 'binding';
  readonly type: CelType;
  readonly name: string;
  readonly value: Tree;
  readonly body: Tree;
};

/** The accumulator of a loop; no rule can have a variable of this name. */
export const RESULT = '@result';

/** The placeholder for parts that did not compile. */
export const NO_TREE: Tree = { kind: 'literal', type: DYN, value: null };

export function call(
  name: string,
  args: readonly Tree[],
  { type = DYN, target }: { readonly type?: CelType; readonly target?: Tree } = {},
): CallTree {
  const operands = target === undefined ? args : [target, ...args];
  return { kind: 'call', type, name, target, args, signatures: [operands.map((operand) => operand.type)] };
}

type Range = { readonly range: Tree; readonly variables: readonly string[] };

export function quantifierTree(name: 'all' | 'exists' | 'one', range: Range, predicate: Tree): LoopTree {
  const type = name === 'one' ? INT : BOOL;
  const gathered: Tree = { kind: 'name', type, name: RESULT };
  const loop = { kind: 'loop', type: BOOL, ...range } as const;
  const literal = (value: boolean | bigint): Tree => ({ kind: 'literal', type, value });
  const logic = (operator: string, args: readonly Tree[]): Tree => call(operator, args, { type: BOOL });
  switch (name) {
    case 'all':
      return {
        ...loop,
        initial: literal(true),
        condition: logic('@not_strictly_false', [gathered]),
        step: logic('_&&_', [gathered, predicate]),
        result: gathered,
      };
    case 'exists':
      return {
        ...loop,
        initial: literal(false),
        condition: logic('@not_strictly_false', [logic('!_', [gathered])]),
        step: logic('_||_', [gathered, predicate]),
        result: gathered,
      };
    case 'one':
      return {
        ...loop,
        initial: literal(0n),
        condition: ALWAYS,
        step: conditional(predicate, call('_+_', [gathered, literal(1n)], { type }), gathered),
        result: logic('_==_', [gathered, literal(1n)]),
      };
  }
}

/** A list of the results of `item` for those that meet the condition. */
export function listTree(range: Range, condition: Tree | undefined, item: Tree): LoopTree {
  const type = listOf(item.type);
  const gathered: Tree = { kind: 'name', type, name: RESULT };
  const longer = call('_+_', [gathered, { kind: 'list', type, items: [item] }], { type });
  return gathering(range, { type, gathered, initial: { kind: 'list', type, items: [] }, longer }, condition);
}

/** A map that gets an entry per iteration: `key` and `value`, or a whole map if there is no key. */
export function mapTree(
  range: Range,
  condition: Tree | undefined,
  entry: { readonly key: Tree | undefined; readonly value: Tree },
): LoopTree {
  const { key, value } = entry;
  const type = key === undefined ? value.type : mapFrom(key.type, value.type);
  const gathered: Tree = { kind: 'name', type, name: RESULT };
  const longer = call('cel.@mapInsert', [gathered, ...(key === undefined ? [] : [key]), value], { type });
  return gathering(range, { type, gathered, initial: { kind: 'map', type, entries: [] }, longer }, condition);
}

type Gathering = {
  readonly type: CelType;
  readonly gathered: Tree;
  readonly initial: Tree;
  readonly longer: Tree;
};

function gathering(
  range: Range,
  { type, gathered, initial, longer }: Gathering,
  condition: Tree | undefined,
): LoopTree {
  const step = condition === undefined ? longer : conditional(condition, longer, gathered);
  return { kind: 'loop', type, ...range, initial, condition: ALWAYS, step, result: gathered };
}

const ALWAYS: Tree = { kind: 'literal', type: BOOL, value: true };

export function conditional(condition: Tree, then: Tree, otherwise: Tree): CallTree {
  return call('_?_:_', [condition, then, otherwise], { type: then.type });
}

/** The expansion of `optMap` (and of `optFlatMap`, which wraps nothing). */
export function optionalTree(
  target: Tree,
  { name, body, isFlat }: { readonly name: string; readonly body: Tree; readonly isFlat: boolean },
): Tree {
  const held = call('value', [], { target, type: target.type.kind === 'optional' ? target.type.item : DYN });
  const bound: Tree = { kind: 'binding', type: body.type, name, value: held, body };
  const made = isFlat ? bound : call('optional.of', [bound], { type: optionalOf(body.type) });
  const nothing = call('optional.none', [], { type: made.type });
  return conditional(call('hasValue', [], { target, type: BOOL }), made, nothing);
}
