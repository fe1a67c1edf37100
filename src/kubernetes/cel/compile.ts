/**
 * Compiles the source of a rule into a program.
 *
 * The parser is that of cel-js. Type checking and evaluation are ours, for three reasons: error messages must be the
 * server's, every step must be charged to a budget, and regular expressions must be RE2. Type checking follows the
 * server and finds all errors, not just the first.
 */
import { type ASTNode, Environment, ParseError } from '@marcbachmann/cel-js';
import { compileHas, compileIdentifier, compileIndex, compileSelect } from './access.ts';
import type { Bounds } from './bounds.ts';
import { applyOverloads, compileCall, compileMethodCall } from './calls.ts';
import { type CelType, DYN } from './cel-type.ts';
import { estimateCost } from './estimate-cost.ts';
import { formatIssues, type Issue } from './issues.ts';
import { compileList, compileMap, constant } from './literals.ts';
import { compileLogical, compileTernary } from './logic.ts';
import { offsetIn } from './offsets.ts';
import { OPERATORS } from './operators.ts';
import {
  type CostBudget,
  type Expression,
  type ExpressionCompiler,
  type Scope,
  withVariable,
} from './program.ts';
import { NO_TREE } from './tree.ts';
import type { Value } from './values.ts';

export type Variable = { readonly name: string; readonly type: CelType };

export type Program = {
  readonly kind: 'program';
  readonly type: CelType;
  /** The variables that the rule refers to. */
  readonly references: ReadonlySet<string>;
  /** The maximum cost of an evaluation, with `self` (and `oldSelf`) as large as the bounds. */
  readonly estimate: (self: Bounds) => number;
  /** Values in the order in which the variables were declared. Throws evaluation errors. */
  readonly run: (values: readonly Value[], budget: CostBudget) => Value;
};

type CompileFailure = { readonly kind: 'failure'; readonly message: string };

/** Longer than any rule whose cost Kubernetes would accept. */
const MAX_RULE_CHARS = 100_000;
const MAX_NESTING = 500;

const parser = new Environment({
  enableOptionalTypes: true,
  limits: { maxAstNodes: 50_000, maxDepth: 200, maxListElements: 5_000, maxMapEntries: 5_000 },
});

export function compileCel(source: string, variables: readonly Variable[]): Program | CompileFailure {
  const ast = parse(source);
  if ('offset' in ast) return { kind: 'failure', message: formatIssues(source, [ast]) };
  const compiler = new Compiler(source);
  const scope = variables.reduce<Scope | undefined>(
    (outer, variable) => withVariable(outer, variable.name, variable.type),
    undefined,
  );
  const expression = compiler.compile(ast, scope);
  if (compiler.issues.length > 0) {
    return { kind: 'failure', message: formatIssues(source, compiler.issues) };
  }
  return {
    kind: 'program',
    type: expression.type,
    references: compiler.references,
    estimate: (self) => estimateCost(expression.tree, self),
    run: (values, budget) => expression.run({ slots: [...values], budget }),
  };
}

function parse(source: string): ASTNode | Issue {
  if (source.length > MAX_RULE_CHARS) return { offset: 0, message: 'Syntax error: expression too long' };
  try {
    return parser.parse(source).ast;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const offset = error.range?.start ?? 0;
    if (error.code === 'invalid_macro_argument') return { offset, message: 'argument must be a simple name' };
    return { offset, message: `Syntax error: ${error.summary}` };
  }
}

/** The names of the operators in error messages. */
const BINARY_NAMES = {
  '==': '_==_',
  '!=': '_!=_',
  in: '@in',
  '+': '_+_',
  '-': '_-_',
  '*': '_*_',
  '/': '_/_',
  '%': '_%_',
  '<': '_<_',
  '<=': '_<=_',
  '>': '_>_',
  '>=': '_>=_',
} as const;

class Compiler implements ExpressionCompiler {
  readonly issues: Issue[] = [];
  readonly references = new Set<string>();
  readonly source: string;
  #nesting = 0;

  constructor(source: string) {
    this.source = source;
  }

  issue(offset: number, message: string): Expression {
    this.issues.push({ offset, message });
    return { type: DYN, run: () => null, tree: NO_TREE };
  }

  reference(name: string): void {
    this.references.add(name);
  }

  offsetOf(node: ASTNode): number {
    return offsetIn(this.source, node);
  }

  compile(node: ASTNode, scope: Scope | undefined): Expression {
    if (this.#nesting >= MAX_NESTING) return this.issue(node.pos, 'expression is nested too deeply');
    this.#nesting++;
    const expression = this.#compileNode(node, scope);
    this.#nesting--;
    return expression;
  }

  #compileNode(node: ASTNode, scope: Scope | undefined): Expression {
    const offset = this.offsetOf(node);
    switch (node.op) {
      case 'value':
        return this.#literal(node.args, offset);
      case 'id':
        return compileIdentifier(this, { name: node.args, offset, scope });
      case '.':
      case '.?': {
        const [target, name] = node.args;
        return compileSelect(this, { target, name, isOptional: node.op === '.?', offset, scope });
      }
      case '[]':
      case '[?]': {
        const [target, key] = node.args;
        return compileIndex(this, { target, key, isOptional: node.op === '[?]', offset, scope });
      }
      case 'call': {
        const [name, args] = node.args;
        if (name === 'has' && args[0] !== undefined && args.length === 1) {
          return compileHas(this, { argument: args[0], offset, scope });
        }
        return compileCall(this, { name, args, offset, scope });
      }
      case 'rcall': {
        const [name, receiver, args] = node.args;
        return compileMethodCall(this, { name, receiver, args, offset, scope });
      }
      case 'list':
        return compileList(this, node.args, scope);
      case 'map':
        return compileMap(this, node.args, scope);
      case '?:':
        return compileTernary(this, { parts: node.args, offset, scope });
      case '||':
      case '&&':
        return compileLogical(this, { node, op: node.op, scope });
      case '!_':
        return this.#operator(node.op, [node.args], offset, scope);
      case '-_': {
        // The smallest integer is in range only with its sign.
        const { args } = node.args;
        if (typeof args === 'bigint' || typeof args === 'number') return this.#literal(-args, offset);
        return this.#operator(node.op, [node.args], offset, scope);
      }
      default:
        return this.#operator(BINARY_NAMES[node.op], node.args, offset, scope);
    }
  }

  #literal(literal: unknown, offset: number): Expression {
    if (typeof literal === 'bigint' && BigInt.asIntN(64, literal) !== literal) {
      return this.issue(offset, 'invalid int literal');
    }
    return constant(literal);
  }

  #operator(name: string, nodes: readonly ASTNode[], offset: number, scope: Scope | undefined): Expression {
    const operands = nodes.map((node) => this.compile(node, scope));
    return applyOverloads(this, { name, overloads: OPERATORS[name] ?? [], operands, offset });
  }
}
