/**
 * The parts of a compiled rule: expressions with a type, which are evaluated on a frame.
 */
import type { ASTNode } from '@marcbachmann/cel-js';
import type { CelType } from './cel-type.ts';
import { beginChain, endChain, type Reached } from './select.ts';
import type { Tree } from './tree.ts';
import type { Value } from './values.ts';

export type Expression = {
  readonly type: CelType;
  readonly run: Run;
  readonly tree: Tree;
  /** For a chain of field and index selections: like `run`, but the chain can continue. */
  readonly reach?: Reach;
};
type Run = (frame: Frame) => Value;
type Reach = (frame: Frame) => Reached;

/** The state from which a chain continues. */
export function reachOf({ run, reach }: Expression): Reach {
  return reach ?? ((frame) => beginChain(run(frame)));
}

/** Both ways to evaluate a chain. */
export function chain(reach: Reach): Pick<Expression, 'run' | 'reach'> {
  return { reach, run: (frame) => endChain(reach(frame)) };
}

/** The variables of one evaluation, by slot, and its remaining budget. */
export type Frame = { readonly slots: Value[]; readonly budget: CostBudget };

/** Thrown when a rule exceeds its cost budget. Nothing in a rule can catch it. */
export class BudgetExceeded extends Error {}

/** The cost budget of an evaluation. Bounds the cost of any rule, however its lists multiply. */
export class CostBudget {
  left: number;
  constructor(limit: number) {
    this.left = limit;
  }

  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw new BudgetExceeded();
  }
}

/** The variables in scope, the innermost first. */
export type Scope = {
  readonly name: string;
  readonly type: CelType;
  readonly slot: number;
  readonly outer: Scope | undefined;
};

export function findVariable(scope: Scope | undefined, name: string): Scope | undefined {
  for (let at = scope; at !== undefined; at = at.outer) if (at.name === name) return at;
  return undefined;
}

export function withVariable(outer: Scope | undefined, name: string, type: CelType): Scope {
  return { name, type, slot: (outer?.slot ?? -1) + 1, outer };
}

/** The parts of the compiler that macros need. */
export type ExpressionCompiler = {
  readonly source: string;
  compile(node: ASTNode, scope: Scope | undefined): Expression;
  /** Records an error in the rule and returns a placeholder, so that all errors are found. */
  issue(offset: number, message: string): Expression;
  /** The offset of a part of the rule in error messages. */
  offsetOf(node: ASTNode): number;
  /** Records that the rule refers to a variable. */
  reference(name: string): void;
};
