/**
 * The macros of CEL: comprehensions over lists and maps, and expressions on the value of an optional.
 */
import type { ASTNode } from '@marcbachmann/cel-js';
import { BOOL, type CelType, DYN, INT, listOf, mapFrom, optionalOf, typeText } from './cel-type.ts';
import { rangeError } from './evaluation-errors.ts';
import { type Expression, type ExpressionCompiler, type Frame, type Scope, withVariable } from './program.ts';
import { listTree, mapTree, optionalTree, quantifierTree, type Tree } from './tree.ts';
import {
  EvaluationError,
  ListValue,
  type MapKey,
  MapValue,
  mapKey,
  noSuchOverload,
  OptionalValue,
  type Value,
} from './values.ts';

type MacroCall = {
  readonly name: string;
  readonly receiver: ASTNode;
  readonly args: readonly ASTNode[];
  readonly scope: Scope | undefined;
  /** The offset of the call in error messages. */
  readonly offset: number;
};

/** The expansion if the call is a macro; `undefined` if it is an ordinary call. */
export function compileMacro(compiler: ExpressionCompiler, call: MacroCall): Expression | undefined {
  switch (call.name) {
    case 'all':
    case 'exists':
    case 'exists_one':
      return call.args.length === 2 || call.args.length === 3 ? quantifier(compiler, call) : undefined;
    case 'existsOne':
      return call.args.length === 3 ? quantifier(compiler, call) : undefined;
    case 'filter':
      return call.args.length === 2 ? filter(compiler, call) : undefined;
    case 'map':
      return call.args.length === 2 || call.args.length === 3 ? map(compiler, call) : undefined;
    case 'transformList':
    case 'transformMap':
    case 'transformMapEntry':
      return call.args.length === 3 || call.args.length === 4 ? transform(compiler, call) : undefined;
    case 'optMap':
    case 'optFlatMap':
      return call.args.length === 2 ? optMap(compiler, call) : undefined;
    default:
      return undefined;
  }
}

/** The server's cost of one iteration, without its body. */
const TURN_COST = { all: 3, exists: 4, one: 2, filter: 1, kept: 12, map: 12 } as const;
/** And once, for the result. */
const RESULT_COST = 1;

/** A loop: its range, and the scope of its body. */
type Loop = {
  readonly range: Expression;
  readonly scope: Scope;
  /** Assigns one item to the variables. */
  readonly bind: (frame: Frame, key: Value, item: Value) => void;
  readonly isPaired: boolean;
  /** The names of the variables. */
  readonly variables: readonly string[];
};

/** `list.all(item, …)` binds items, or the keys of a map; with two variables, the index or key and the item. */
function compileLoop(
  compiler: ExpressionCompiler,
  call: MacroCall,
  names: readonly ASTNode[],
): Loop | Expression {
  const range = compiler.compile(call.receiver, call.scope);
  const types = variableTypes(range.type, names.length === 2);
  if (types === undefined) {
    const message = `expression of type '${typeText(range.type)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
    return compiler.issue(compiler.offsetOf(call.receiver), message);
  }
  let scope = call.scope;
  const slots: number[] = [];
  const variables: string[] = [];
  for (const [index, name] of names.entries()) {
    if (name.op !== 'id') return compiler.issue(name.pos, 'argument must be a simple name');
    scope = withVariable(scope, name.args, types[index] ?? DYN);
    slots.push(scope.slot);
    variables.push(name.args);
  }
  const [first, second] = slots;
  if (scope === undefined || first === undefined) return compiler.issue(call.offset, 'a variable is missing');
  const bind: Loop['bind'] =
    second === undefined
      ? (frame, _, item) => {
          frame.slots[first] = item;
        }
      : (frame, key, item) => {
          frame.slots[first] = key;
          frame.slots[second] = item;
        };
  return { range, scope, bind, isPaired: names.length === 2, variables };
}

function variableTypes(range: CelType, isPaired: boolean): readonly CelType[] | undefined {
  switch (range.kind) {
    case 'dyn':
      return [DYN, DYN];
    case 'list':
      return isPaired ? [INT, range.item] : [range.item];
    case 'map':
      return isPaired ? [range.key, range.value] : [range.key];
    default:
      return undefined;
  }
}

/** Evaluates the body for every item until it returns `stop`. */
function forEach(loop: Loop, frame: Frame, body: (key: Value) => 'go on' | 'stop'): void {
  const range = loop.range.run(frame);
  if (range instanceof ListValue) {
    for (const [index, item] of range.items.entries()) {
      const key = BigInt(index);
      loop.bind(frame, key, item);
      if (body(key) === 'stop') return;
    }
  } else if (range instanceof MapValue) {
    for (const [key, item] of range.entries) {
      loop.bind(frame, key, loop.isPaired ? item : key);
      if (body(key) === 'stop') return;
    }
  } else {
    throw rangeError(range, loop.isPaired);
  }
}

function rangeOf({ range, variables }: Loop): { range: Tree; variables: readonly string[] } {
  return { range: range.tree, variables };
}

function isLoop(loop: Loop | Expression): loop is Loop {
  return 'range' in loop;
}

function quantifier(compiler: ExpressionCompiler, call: MacroCall): Expression {
  const names = call.args.slice(0, -1);
  const loop = compileLoop(compiler, call, names);
  if (!isLoop(loop)) return loop;
  const predicate = compileBool(compiler, call.args.at(-1), loop.scope);
  const name = call.name === 'all' || call.name === 'exists' ? call.name : 'one';
  return {
    type: BOOL,
    tree: quantifierTree(name, rangeOf(loop), predicate.tree),
    run: (frame) => {
      if (name === 'one') return exactlyOne(loop, predicate, frame);
      return name === 'exists'
        ? someIs(true, loop, predicate, frame)
        : !someIs(false, loop, predicate, frame);
    },
  };
}

/** An error in one item is ignored if another item decides the result. */
function someIs(wanted: boolean, loop: Loop, predicate: Expression, frame: Frame): boolean {
  let found = false;
  let error: EvaluationError | undefined;
  frame.budget.spend(RESULT_COST);
  forEach(loop, frame, () => {
    frame.budget.spend(wanted ? TURN_COST.exists : TURN_COST.all);
    try {
      const value = predicate.run(frame);
      if (typeof value !== 'boolean') error ??= noSuchOverload();
      else if (value === wanted) found = true;
    } catch (thrown) {
      if (!(thrown instanceof EvaluationError)) throw thrown;
      error ??= thrown;
    }
    return found ? 'stop' : 'go on';
  });
  if (!found && error !== undefined) throw error;
  return found;
}

function exactlyOne(loop: Loop, predicate: Expression, frame: Frame): boolean {
  let count = 0;
  frame.budget.spend(RESULT_COST);
  forEach(loop, frame, () => {
    frame.budget.spend(TURN_COST.one);
    if (truth(predicate.run(frame))) count++;
    return 'go on';
  });
  return count === 1;
}

function filter(compiler: ExpressionCompiler, call: MacroCall): Expression {
  const loop = compileLoop(compiler, call, call.args.slice(0, 1));
  if (!isLoop(loop)) return loop;
  const predicate = compileBool(compiler, call.args[1], loop.scope);
  const { type, name } = loop.scope;
  return {
    type: listOf(type),
    tree: listTree(rangeOf(loop), predicate.tree, { kind: 'name', type, name }),
    run: (frame) => {
      const kept: Value[] = [];
      frame.budget.spend(RESULT_COST);
      forEach(loop, frame, () => {
        frame.budget.spend(TURN_COST.filter);
        if (!truth(predicate.run(frame))) return 'go on';
        frame.budget.spend(TURN_COST.kept);
        kept.push(frame.slots[loop.scope.slot] ?? null);
        return 'go on';
      });
      return new ListValue(kept);
    },
  };
}

function map(compiler: ExpressionCompiler, call: MacroCall): Expression {
  const loop = compileLoop(compiler, call, call.args.slice(0, 1));
  if (!isLoop(loop)) return loop;
  const condition = call.args.length === 3 ? compileBool(compiler, call.args[1], loop.scope) : undefined;
  const last = call.args.at(-1);
  const body =
    last === undefined ? compiler.issue(call.offset, 'no body') : compiler.compile(last, loop.scope);
  return {
    type: listOf(body.type),
    tree: listTree(rangeOf(loop), condition?.tree, body.tree),
    run: (frame) => {
      const results: Value[] = [];
      frame.budget.spend(RESULT_COST);
      forEach(loop, frame, () => {
        frame.budget.spend(TURN_COST.map);
        if (condition === undefined || truth(condition.run(frame))) results.push(body.run(frame));
        return 'go on';
      });
      return new ListValue(results);
    },
  };
}

/** Transforms a list or map: variables for index or key and item, an optional condition, and the new item. */
function transform(compiler: ExpressionCompiler, call: MacroCall): Expression {
  const loop = compileLoop(compiler, call, call.args.slice(0, 2));
  if (!isLoop(loop)) return loop;
  const condition = call.args.length === 4 ? compileBool(compiler, call.args[2], loop.scope) : undefined;
  const last = call.args.at(-1);
  const body =
    last === undefined ? compiler.issue(call.offset, 'no body') : compiler.compile(last, loop.scope);
  const collect = (frame: Frame): [Value, Value][] => {
    const pairs: [Value, Value][] = [];
    frame.budget.spend(RESULT_COST);
    forEach(loop, frame, (key) => {
      frame.budget.spend(TURN_COST.map);
      if (condition === undefined || truth(condition.run(frame))) pairs.push([key, body.run(frame)]);
      return 'go on';
    });
    return pairs;
  };
  if (call.name === 'transformList') {
    return {
      type: listOf(body.type),
      tree: listTree(rangeOf(loop), condition?.tree, body.tree),
      run: (frame) => new ListValue(collect(frame).map(([, item]) => item)),
    };
  }
  if (call.name === 'transformMapEntry') {
    const type = body.type.kind === 'map' ? body.type : mapFrom(DYN, DYN);
    return {
      type,
      tree: mapTree(rangeOf(loop), condition?.tree, { key: undefined, value: body.tree }),
      run: (frame) => merged(collect(frame).map(([, entries]) => entries)),
    };
  }
  const key = loop.range.type.kind === 'map' ? loop.range.type.key : INT;
  const keyTree: Tree = { kind: 'name', type: key, name: loop.variables[0] ?? '' };
  return {
    type: mapFrom(key, body.type),
    tree: mapTree(rangeOf(loop), condition?.tree, { key: keyTree, value: body.tree }),
    run: (frame) => new MapValue(keyed(collect(frame))),
  };
}

function merged(maps: readonly Value[]): MapValue {
  const entries = new Map<MapKey, Value>();
  for (const map of maps) {
    if (!(map instanceof MapValue)) throw noSuchOverload();
    for (const [key, value] of map.entries) {
      if (entries.has(key)) throw new EvaluationError(`insert failed: key ${String(key)} already exists`);
      entries.set(key, value);
    }
  }
  return new MapValue(entries);
}

function keyed(pairs: readonly [Value, Value][]): Map<MapKey, Value> {
  const entries = new Map<MapKey, Value>();
  for (const [key, value] of pairs) {
    const known = mapKey(key);
    if (known === undefined) throw noSuchOverload();
    entries.set(known, value);
  }
  return entries;
}

function optMap(compiler: ExpressionCompiler, call: MacroCall): Expression {
  const [name, bodyNode] = call.args;
  const target = compiler.compile(call.receiver, call.scope);
  if (name === undefined || name.op !== 'id' || bodyNode === undefined) {
    return compiler.issue(call.offset, `${call.name}() variable name must be a simple identifier`);
  }
  const scope = withVariable(call.scope, name.args, target.type.kind === 'optional' ? target.type.item : DYN);
  const body = compiler.compile(bodyNode, scope);
  const isFlat = call.name === 'optFlatMap';
  return {
    type: isFlat ? body.type : optionalOf(body.type),
    tree: optionalTree(target.tree, { name: name.args, body: body.tree, isFlat }),
    run: (frame) => {
      const optional = target.run(frame);
      if (!(optional instanceof OptionalValue)) throw noSuchOverload();
      if (optional.value === undefined) return OptionalValue.NONE;
      frame.slots[scope.slot] = optional.value;
      const value = body.run(frame);
      return isFlat ? value : new OptionalValue(value);
    },
  };
}

function compileBool(compiler: ExpressionCompiler, node: ASTNode | undefined, scope: Scope): Expression {
  if (node === undefined) return compiler.issue(0, 'a predicate is missing');
  const predicate = compiler.compile(node, scope);
  if (predicate.type.kind === 'bool' || predicate.type.kind === 'dyn') return predicate;
  return compiler.issue(
    compiler.offsetOf(node),
    `expected type 'bool' but found '${typeText(predicate.type)}'`,
  );
}

function truth(value: Value): boolean {
  if (typeof value !== 'boolean') throw noSuchOverload();
  return value;
}
