/**
 * Identifiers, field selection and indexing.
 */
import type { ASTNode } from '@marcbachmann/cel-js';
import { BOOL, type CelType, DYN, listOf, mapFrom, optionalOf, STRING, typeText } from './cel-type.ts';
import { TYPE_NAMES } from './conversions.ts';
import {
  chain,
  type Expression,
  type ExpressionCompiler,
  findVariable,
  reachOf,
  type Scope,
} from './program.ts';
import { fieldType, hasField, indexType, selectField, selectIndex } from './select.ts';
import { call, type Tree } from './tree.ts';

type At = { readonly offset: number; readonly scope: Scope | undefined };

export function compileIdentifier(
  compiler: ExpressionCompiler,
  { name, offset, scope }: At & { readonly name: string },
): Expression {
  return (
    variableNamed(compiler, name, scope) ??
    typeNamed(name) ??
    compiler.issue(offset, `undeclared reference to '${name}' (in container '')`)
  );
}

function variableNamed(
  compiler: ExpressionCompiler,
  name: string,
  scope: Scope | undefined,
): Expression | undefined {
  const variable = findVariable(scope, name);
  if (variable === undefined) return undefined;
  compiler.reference(name);
  const { slot, type } = variable;
  return {
    type,
    tree: { kind: 'name', type, name },
    run: (frame) => {
      frame.budget.spend(1);
      return frame.slots[slot] ?? null;
    },
  };
}

function typeNamed(name: string): Expression | undefined {
  const known = TYPE_NAMES.get(name);
  if (known === undefined) return undefined;
  const { type, value } = known;
  return { type, run: () => value, tree: { kind: 'name', type, name } };
}

export function compileSelect(
  compiler: ExpressionCompiler,
  part: At & { readonly target: ASTNode; readonly name: string; readonly isOptional: boolean },
): Expression {
  const { target, name, offset, scope } = part;
  // A variable may have a dot in its name and is no field then: `authorizer.requestResource`.
  const dotted = target.op === 'id' ? variableNamed(compiler, `${target.args}.${name}`, scope) : undefined;
  if (dotted !== undefined) return dotted;
  // `google.protobuf.Timestamp` is one name, not a field of a field.
  const namespace = namespaceOf(target, scope);
  const qualified = namespace === undefined ? undefined : typeNamed(`${namespace}.${name}`);
  if (qualified !== undefined) return qualified;
  const operand = compiler.compile(target, scope);
  const type = checkedField(compiler, operand.type, name, offset);
  if ('run' in type) return type;
  const { isOptional } = part;
  const result = isOptional || operand.type.kind === 'optional' ? optionalOf(type) : type;
  const reach = reachOf(operand);
  return {
    type: result,
    tree: isOptional
      ? call('_?._', [operand.tree, { kind: 'literal', type: STRING, value: name }], { type: result })
      : { kind: 'field', type: result, operand: operand.tree, name, isTest: false },
    ...chain((frame) => {
      const from = reach(frame);
      frame.budget.spend(1);
      return selectField(from, name, isOptional);
    }),
  };
}

/** The qualified name of a node, if its first identifier is not a variable. */
export function namespaceOf(node: ASTNode, scope: Scope | undefined): string | undefined {
  if (node.op === 'id') return findVariable(scope, node.args) === undefined ? node.args : undefined;
  if (node.op !== '.') return undefined;
  const left = namespaceOf(node.args[0], scope);
  return left && `${left}.${node.args[1]}`;
}

function checkedField(
  compiler: ExpressionCompiler,
  type: CelType,
  name: string,
  offset: number,
): CelType | Expression {
  const found = fieldType(type, name);
  if (found === 'undefined') return compiler.issue(offset, `undefined field '${name}'`);
  if (found !== 'unsupported') return found;
  if (type.kind === 'opaque') {
    return compiler.issue(offset, `unexpected failed resolution of '${typeText(type)}'`);
  }
  return compiler.issue(offset, `type '${typeText(type)}' does not support field selection`);
}

export function compileIndex(
  compiler: ExpressionCompiler,
  part: At & { readonly target: ASTNode; readonly key: ASTNode; readonly isOptional: boolean },
): Expression {
  const { target, key, offset, scope } = part;
  const operand = compiler.compile(target, scope);
  const index = compiler.compile(key, scope);
  const type = indexType(operand.type, index.type);
  const { isOptional } = part;
  const operator = isOptional ? '_[?_]' : '_[_]';
  if (type === undefined) {
    const types = `(${typeText(operand.type)}, ${typeText(index.type)})`;
    return compiler.issue(offset, `found no matching overload for '${operator}' applied to '${types}'`);
  }
  const result = isOptional || operand.type.kind === 'optional' ? optionalOf(type) : type;
  const reach = reachOf(operand);
  return {
    type: result,
    tree: indexTree(operator, [operand.tree, index.tree], result),
    ...chain((frame) => {
      const from = reach(frame);
      const at = index.run(frame);
      frame.budget.spend(1);
      return selectIndex(from, at, isOptional);
    }),
  };
}

/** An operand of type dyn may be a list or a map. */
function indexTree(name: string, args: readonly [Tree, Tree], type: CelType): Tree {
  const tree = call(name, args, { type });
  if (args[0].type.kind !== 'dyn') return tree;
  const key = args[1].type;
  return {
    ...tree,
    signatures: [
      [listOf(DYN), key],
      [mapFrom(DYN, DYN), key],
    ],
  };
}

/** `has(a.b)` tests whether b exists, and fails only if a does not. */
export function compileHas(
  compiler: ExpressionCompiler,
  { argument, offset, scope }: At & { readonly argument: ASTNode },
): Expression {
  if (argument.op !== '.') {
    return compiler.issue(compiler.offsetOf(argument), 'invalid argument to has() macro');
  }
  const [target, name] = argument.args;
  const operand = compiler.compile(target, scope);
  const type = checkedField(compiler, operand.type, name, offset);
  if ('run' in type) return type;
  const reach = reachOf(operand);
  return {
    type: BOOL,
    tree: { kind: 'field', type: BOOL, operand: operand.tree, name, isTest: true },
    run: (frame) => hasField(reach(frame), name),
  };
}
