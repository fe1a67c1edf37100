/**
 * Running the expressions of one policy on one request, within a budget.
 *
 * The policy's own variables are computed when an expression first asks for them, and then kept.
 */
import {
  BudgetExceeded,
  CostBudget,
  computedObject,
  EvaluationError,
  type Program,
  type Value,
} from '../../kubernetes/cel/index.ts';
import type { CompiledPolicy, Expression } from './compile-policy.ts';
import type { Inputs } from './inputs.ts';

/** What one expression may cost, in the server's units; whoever runs several says what they may together. */
const MAX_EXPRESSION_COST = 1_000_000;
/** Variables that use variables that use variables: further than anybody reads. */
const MAX_VARIABLE_NESTING = 100;

export type Outcome =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'error'; readonly message: string };

/** Thrown when all expressions together have cost too much: no further one is run. */
export class OutOfBudget extends Error {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}

export class Evaluation {
  readonly #inputs: Inputs;
  readonly #variables: Value;
  #budget: number;
  #nesting = 0;

  constructor(policy: Pick<CompiledPolicy, 'variables'>, inputs: Inputs, budget: number) {
    this.#inputs = inputs;
    this.#budget = budget;
    this.#variables = computedObject(
      new Map(
        policy.variables.map((variable) => [variable.name, remembered(() => this.#variable(variable))]),
      ),
    );
  }

  run(expression: Expression): Outcome {
    const { compiled, source } = expression;
    if (compiled.kind === 'failure') {
      return { kind: 'error', message: `compilation error: ${compiled.message}` };
    }
    try {
      return { kind: 'value', value: this.#compute(compiled, expression.inputs) };
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      return { kind: 'error', message: `expression '${source}' resulted in error: ${error.message}` };
    }
  }

  #variable(variable: Expression & { readonly name: string }): Value {
    const { compiled, name, inputs } = variable;
    if (compiled.kind === 'failure') {
      throw new EvaluationError(`composited variable "${name}" fails to compile: ${compiled.message}`);
    }
    if (this.#nesting >= MAX_VARIABLE_NESTING) throw new EvaluationError('variables are nested too deeply');
    this.#nesting++;
    try {
      return this.#compute(compiled, inputs);
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      throw new EvaluationError(`composited variable "${name}" fails to evaluate: ${error.message}`);
    } finally {
      this.#nesting--;
    }
  }

  #compute(program: Program, inputs: readonly string[]): Value {
    const budget = new CostBudget(MAX_EXPRESSION_COST);
    const values = inputs.map((name) => {
      if (name === 'variables') return this.#variables;
      // What an expression does not mention is not made for it.
      return program.references.has(name) ? this.#inputs.valueOf(name) : null;
    });
    const result = runWithin(program, values, budget);
    this.#spend(MAX_EXPRESSION_COST - budget.left);
    return result();
  }

  #spend(cost: number): void {
    this.#budget -= cost;
    if (this.#budget < 0) throw new OutOfBudget();
  }
}

/** The result, or what went wrong, for when the cost has been accounted for. */
function runWithin(program: Program, values: readonly Value[], budget: CostBudget): () => Value {
  return attempt(() => {
    try {
      return program.run(values, budget);
    } catch (error) {
      if (!(error instanceof BudgetExceeded)) throw error;
      throw new EvaluationError('operation cancelled: actual cost limit exceeded');
    }
  });
}

/** Also a failure is remembered: it would be the same the next time. */
function remembered(compute: () => Value): () => Value {
  let known: (() => Value) | undefined;
  return () => {
    known ??= attempt(compute);
    return known();
  };
}

function attempt(compute: () => Value): () => Value {
  try {
    const value = compute();
    return () => value;
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return () => {
      throw error;
    };
  }
}
