/**
 * `&&`, `||` and `?:`.
 */
import type { ASTNode } from '@marcbachmann/cel-js';
import { BOOL, join, typeText } from './cel-type.ts';
import { constant } from './literals.ts';
import { type Expression, type ExpressionCompiler, type Frame, reachOf, type Scope } from './program.ts';
import { call, conditional } from './tree.ts';
import { EvaluationError, noSuchOverload } from './values.ts';

export function compileTernary(
  compiler: ExpressionCompiler,
  ternary: {
    readonly parts: readonly [ASTNode, ASTNode, ASTNode];
    readonly offset: number;
    readonly scope: Scope | undefined;
  },
): Expression {
  const [, middle] = ternary.parts;
  if (middle.op === '?:' && !compiler.source.slice(ternary.offset, middle.start).includes('(')) {
    // The parser would accept it, but no version of Kubernetes does.
    return compiler.issue(compiler.offsetOf(middle), "Syntax error: mismatched input '?' expecting ':'");
  }
  const [condition, then, otherwise] = ternary.parts.map((part) => compiler.compile(part, ternary.scope));
  if (condition === undefined || then === undefined || otherwise === undefined) return constant(null);
  const type = join(then.type, otherwise.type);
  if (type === undefined || (condition.type.kind !== 'bool' && condition.type.kind !== 'dyn')) {
    const types = [condition, then, otherwise].map((part) => typeText(part.type)).join(', ');
    return compiler.issue(ternary.offset, `found no matching overload for '_?_:_' applied to '(${types})'`);
  }
  const [reachThen, reachOtherwise] = [reachOf(then), reachOf(otherwise)];
  const choose = (frame: Frame): boolean => {
    const value = condition.run(frame);
    if (typeof value !== 'boolean') throw noSuchOverload();
    return value;
  };
  return {
    type,
    tree: conditional(condition.tree, then.tree, otherwise.tree),
    run: (frame) => (choose(frame) ? then.run(frame) : otherwise.run(frame)),
    // A chain continues from either of them.
    reach: (frame) => (choose(frame) ? reachThen(frame) : reachOtherwise(frame)),
  };
}

/** A long chain of `&&` is one expression of many terms here, not a deep tree. */
export function compileLogical(
  compiler: ExpressionCompiler,
  {
    node,
    op,
    scope,
  }: { readonly node: ASTNode; readonly op: '&&' | '||'; readonly scope: Scope | undefined },
): Expression {
  const terms: ASTNode[] = [];
  let rest: ASTNode = node;
  while (rest.op === op) {
    terms.push(rest.args[1]);
    rest = rest.args[0];
  }
  const expressions = [rest, ...terms.reverse()].map((term) => {
    const expression = compiler.compile(term, scope);
    if (expression.type.kind === 'bool' || expression.type.kind === 'dyn') return expression;
    const message = `expected type 'bool' but found '${typeText(expression.type)}'`;
    return compiler.issue(compiler.offsetOf(term), message);
  });
  const tree = expressions
    .map((expression) => expression.tree)
    .reduce((left, right) => call(op === '||' ? '_||_' : '_&&_', [left, right], { type: BOOL }));
  return { type: BOOL, tree, run: (frame) => decide(op === '||', expressions, frame) };
}

/** A term with the deciding value decides, even if another one fails. */
function decide(deciding: boolean, terms: readonly Expression[], frame: Frame): boolean {
  let error: EvaluationError | undefined;
  for (const term of terms) {
    try {
      const value = term.run(frame);
      if (value === deciding) return deciding;
      if (typeof value !== 'boolean') error ??= noSuchOverload();
    } catch (thrown) {
      if (!(thrown instanceof EvaluationError)) throw thrown;
      error ??= thrown;
    }
  }
  if (error !== undefined) throw error;
  return !deciding;
}
