/**
 * What a compiled rule is made of: expressions that know their type and compute on a frame.
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
  /** Of a chain of fields and items: as `run`, but so that the chain can go on. */
  readonly reach?: Reach;
};
type Run = (frame: Frame) => Value;
type Reach = (frame: Frame) => Reached;

/** What a chain that goes on from the expression goes on from. */
export function reachOf({ run, reach }: Expression): Reach {
  return reach ?? ((frame) => beginChain(run(frame)));
}

/** The two ways to run a chain. */
export function chain(reach: Reach): Pick<Expression, 'run' | 'reach'> {
  return { reach, run: (frame) => endChain(reach(frame)) };
}

/** The variables of one evaluation, by slot, and the work that is still allowed. */
export type Frame = { readonly slots: Value[]; readonly budget: CostBudget };

/** Thrown when a rule asks for more work than it may do. Nothing in a rule can catch it. */
export class BudgetExceeded extends Error {}

/** A budget of steps. Bounds what any rule can cost, however its lists multiply. */
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

/** The variables in sight, the innermost first. */
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
  /** Notes a mistake in the rule and gives an expression to go on with, so that all mistakes are found. */
  issue(offset: number, message: string): Expression;
  /** Where messages about a part of the rule point to. */
  offsetOf(node: ASTNode): number;
  /** Notes that the rule uses a variable. */
  reference(name: string): void;
};
