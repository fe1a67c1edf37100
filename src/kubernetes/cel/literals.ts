/**
 * The literals of a rule: scalars, lists, maps, and errors in them that are found at compile time.
 */
import type { ASTNode } from '@marcbachmann/cel-js';
import { compileRegex, parseDateTime, parseGoDuration } from '../../base/text/index.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DYN,
  INT,
  join,
  listOf,
  mapFrom,
  NULL,
  STRING,
  typeText,
  UINT,
} from './cel-type.ts';
import type { Expression, ExpressionCompiler, Scope } from './program.ts';
import { NO_TREE, type Tree } from './tree.ts';
import { EvaluationError, ListValue, type MapKey, MapValue, mapKey, Uint, type Value } from './values.ts';

/** The cost of constructing one. */
const LIST_COST = 10;
const MAP_COST = 30;

export function constant(literal: unknown): Expression {
  const [type, value] = literalValue(literal);
  return { type, run: () => value, tree: { kind: 'literal', type, value } };
}

function literalValue(literal: unknown): readonly [CelType, Value] {
  switch (typeof literal) {
    case 'string':
      return [STRING, literal];
    case 'bigint':
      return [INT, literal];
    case 'number':
      return [DOUBLE, literal];
    case 'boolean':
      return [BOOL, literal];
    default:
      if (literal instanceof Uint8Array) return [BYTES, literal];
      // The remaining cases are null and the parser's class for unsigned integers.
      return literal === null ? [NULL, null] : [UINT, new Uint(BigInt(String(literal)))];
  }
}

/** `mixed`: of several types, which is allowed only for the arguments of `format`. */
export function compileList(
  compiler: ExpressionCompiler,
  nodes: readonly ASTNode[],
  scope: Scope | undefined,
  kind: 'plain' | 'mixed' = 'plain',
): Expression {
  const items = nodes.map((node) => compiler.compile(node, scope));
  const type = listOf(kind === 'mixed' ? DYN : commonType(compiler, items, nodes));
  const tree: Tree = { kind: 'list', type, items: items.map((item) => item.tree) };
  // A list of literals is constructed once.
  if (nodes.every((node) => node.op === 'value')) {
    const list = new ListValue(nodes.map((node) => literalValue(node.args)[1]));
    return { type, tree, run: () => list };
  }
  return {
    type,
    tree,
    run: (frame) => {
      frame.budget.spend(LIST_COST);
      return new ListValue(items.map((item) => item.run(frame)));
    },
  };
}

/** Literals have items of one type, unless `dyn(…)` is used. */
function commonType(
  compiler: ExpressionCompiler,
  items: readonly Expression[],
  nodes: readonly ASTNode[],
): CelType {
  let type: CelType | undefined;
  for (const [index, item] of items.entries()) {
    const joined = type === undefined ? item.type : join(type, item.type);
    const node = nodes[index];
    if (joined === undefined && type !== undefined && node !== undefined) {
      const message = `expected type '${typeText(type)}' but found '${typeText(item.type)}'`;
      compiler.issue(compiler.offsetOf(node), message);
    }
    type = joined ?? DYN;
  }
  return type ?? DYN;
}

export function compileMap(
  compiler: ExpressionCompiler,
  nodes: readonly (readonly [ASTNode, ASTNode])[],
  scope: Scope | undefined,
): Expression {
  const keyNodes = nodes.map(([key]) => key);
  const valueNodes = nodes.map(([, value]) => value);
  const keys = keyNodes.map((node) => compiler.compile(node, scope));
  const values = valueNodes.map((node) => compiler.compile(node, scope));
  const type = mapFrom(commonType(compiler, keys, keyNodes), commonType(compiler, values, valueNodes));
  const entries = keys.map((key, index) => [key.tree, values[index]?.tree ?? NO_TREE] as const);
  return {
    type,
    tree: { kind: 'map', type, entries },
    run: (frame) => {
      frame.budget.spend(MAP_COST);
      const entries = new Map<MapKey, Value>();
      for (const [index, key] of keys.entries()) {
        const known = mapKey(key.run(frame));
        if (known === undefined) throw new EvaluationError('unsupported key type');
        entries.set(known, values[index]?.run(frame) ?? null);
      }
      return new MapValue(entries);
    },
  };
}

/** The error in a literal as the argument of this function, if there is one. */
export function literalIssue(name: string, literal: string): string | undefined {
  switch (name) {
    case 'matches':
      return compileRegex(literal).kind === 'bad' ? 'invalid matches argument' : undefined;
    case 'duration':
      return parseGoDuration(literal) === undefined ? 'invalid duration argument' : undefined;
    case 'timestamp':
      return parseDateTime(literal) === undefined ? 'invalid timestamp argument' : undefined;
    default:
      return undefined;
  }
}
