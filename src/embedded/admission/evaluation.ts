/**
 * Evaluates the expressions of one policy for one request, within a cost budget.
 *
 * Variables of the policy are computed on first use.
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

/** The cost limit of one expression; callers limit the total. */
const MAX_EXPRESSION_COST = 1_000_000;
/** Limits variables that use variables. */
const MAX_VARIABLE_NESTING = 100;

export type Outcome =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'error'; readonly message: string };

/** Thrown when the total cost exceeds the budget: no further expression is evaluated. */
export class PolicyBudgetExceeded extends Error {
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
      // Unused variables are not computed.
      return program.references.has(name) ? this.#inputs.valueOf(name) : null;
    });
    const result = runWithin(program, values, budget);
    this.#spend(MAX_EXPRESSION_COST - budget.left);
    return result();
  }

  #spend(cost: number): void {
    this.#budget -= cost;
    if (this.#budget < 0) throw new PolicyBudgetExceeded();
  }
}

/** Defers an error until the cost is accounted for. */
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

/** Failures are cached too. */
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
