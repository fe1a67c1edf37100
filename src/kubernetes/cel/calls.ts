/**
 * Function calls in a rule: overload resolution, and evaluation within the budget.
 */
import type { ASTNode } from '@marcbachmann/cel-js';
import { namespaceOf } from './access.ts';
import { typeText } from './cel-type.ts';
import { overloadError } from './evaluation-errors.ts';
import { FUNCTIONS, METHODS } from './functions.ts';
import { compileList, literalIssue } from './literals.ts';
import { compileMacro } from './macros.ts';
import { type Overload, pick, resolve } from './overloads.ts';
import type { Expression, ExpressionCompiler, Scope } from './program.ts';
import { noSuchOverload, OptionalValue } from './values.ts';

type Call = {
  readonly name: string;
  readonly args: readonly ASTNode[];
  readonly offset: number;
  readonly scope: Scope | undefined;
};

export function compileCall(compiler: ExpressionCompiler, { name, args, offset, scope }: Call): Expression {
  const overloads = FUNCTIONS.get(name);
  const operands = args.map((arg) => compiler.compile(arg, scope));
  if (overloads === undefined) return undeclared(compiler, name, offset);
  checkLiteral(compiler, name, args[0]);
  return applyOverloads(compiler, { name, overloads, operands, offset });
}

/** `x.f(…)`: a macro, a function of a namespace (`sets.contains`), or a method. */
export function compileMethodCall(
  compiler: ExpressionCompiler,
  call: Call & { readonly receiver: ASTNode },
): Expression {
  const { name, receiver, args, offset, scope } = call;
  const macro = compileMacro(compiler, call);
  if (macro !== undefined) return macro;
  const namespace = namespaceOf(receiver, scope);
  const namespaced = namespace === undefined ? undefined : FUNCTIONS.get(`${namespace}.${name}`);
  const operands = args.map((arg) =>
    name === 'format' && arg.op === 'list'
      ? compileList(compiler, arg.args, scope, 'mixed')
      : compiler.compile(arg, scope),
  );
  if (namespaced !== undefined) {
    return applyOverloads(compiler, {
      name: `${namespace}.${name}`,
      overloads: namespaced,
      operands,
      offset,
    });
  }
  const target = compiler.compile(receiver, scope);
  const overloads = METHODS.get(name);
  if (overloads === undefined) return undeclared(compiler, name, offset);
  checkLiteral(compiler, name, args[0]);
  const applied = applyOverloads(compiler, {
    name,
    overloads,
    operands: [target, ...operands],
    offset,
    isMethod: true,
  });
  const [alternative] = operands;
  const isAlternative = (name === 'or' || name === 'orValue') && alternative !== undefined;
  return isAlternative ? otherwise(applied, target, alternative, name === 'or') : applied;
}

function undeclared(compiler: ExpressionCompiler, name: string, offset: number): Expression {
  return compiler.issue(offset, `undeclared reference to '${name}' (in container '')`);
}

function checkLiteral(compiler: ExpressionCompiler, name: string, node: ASTNode | undefined): void {
  if (node?.op !== 'value' || typeof node.args !== 'string') return;
  const message = literalIssue(name, node.args);
  if (message !== undefined) compiler.issue(node.pos, message);
}

/** The alternative of an optional is evaluated only if it is needed. */
function otherwise(
  call: Expression,
  target: Expression,
  alternative: Expression,
  keepsOptional: boolean,
): Expression {
  return {
    type: call.type,
    tree: call.tree,
    run: (frame) => {
      const optional = target.run(frame);
      frame.budget.spend(1);
      if (!(optional instanceof OptionalValue)) throw noSuchOverload();
      if (optional.value === undefined) return alternative.run(frame);
      return keepsOptional ? optional : optional.value;
    },
  };
}

type Application = {
  readonly name: string;
  readonly overloads: readonly Overload[];
  readonly operands: readonly Expression[];
  readonly offset: number;
  /** Whether the first operand is the receiver of a method. */
  readonly isMethod?: boolean;
};

export function applyOverloads(compiler: ExpressionCompiler, application: Application): Expression {
  const { name, overloads, operands, offset } = application;
  const types = operands.map((operand) => operand.type);
  const found = resolve(overloads, types);
  if (found === undefined) {
    const [receiver, ...rest] = types.map(typeText);
    const signature = application.isMethod
      ? `${receiver}.(${rest.join(', ')})`
      : `(${types.map(typeText).join(', ')})`;
    return compiler.issue(offset, `found no matching overload for '${name}' applied to '${signature}'`);
  }
  const { candidates, type } = found;
  const [only] = candidates;
  const isCertain = candidates.length === 1 && types.every((operand) => operand.kind !== 'dyn');
  const trees = operands.map((operand) => operand.tree);
  return {
    type,
    tree: {
      kind: 'call',
      type,
      name,
      target: application.isMethod ? trees[0] : undefined,
      args: application.isMethod ? trees.slice(1) : trees,
      signatures: candidates.map((candidate) => candidate.params),
    },
    run: (frame) => {
      const args = operands.map((operand) => operand.run(frame));
      const chosen = isCertain ? only : pick(candidates, args);
      if (chosen === undefined) throw overloadError(name, args);
      // Charged before the call: otherwise it could do the work first and fail afterwards.
      frame.budget.spend(chosen.cost(args));
      return chosen.run(args);
    },
  };
}
