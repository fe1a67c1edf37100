/**
 * From the text of a rule to something that runs.
 *
 * The grammar is cel-js'. What an expression means is decided here and not there, for three reasons: the
 * server's texts have to come out, every step has to be paid from a budget, and regular expressions have to
 * be RE2. Compiling checks types as the server does, and finds all mistakes, not just the first.
 */
import { type ASTNode, Environment, ParseError } from '@marcbachmann/cel-js';
import { FUNCTIONS, METHODS, TYPE_NAMES } from './cel-functions.ts';
import { formatIssues, type Issue } from './cel-issues.ts';
import { literalIssue } from './cel-literals.ts';
import { compileMacro } from './cel-macros.ts';
import { OPERATORS } from './cel-operators.ts';
import { type Overload, pick, resolve } from './cel-overloads.ts';
import {
  type Compiling,
  type Expression,
  findVariable,
  type Scope,
  type Work,
  withVariable,
} from './cel-program.ts';
import { fieldType, hasField, indexType, selectField, selectIndex, selectOptional } from './cel-select.ts';
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
  optionalOf,
  STRING,
  typeText,
  UINT,
} from './cel-types.ts';
import {
  EvaluationError,
  ListValue,
  type MapKey,
  MapValue,
  mapKey,
  noSuchOverload,
  Uint,
  type Value,
} from './cel-values.ts';

export type Variable = { readonly name: string; readonly type: CelType };

export type Program = {
  readonly kind: 'program';
  readonly type: CelType;
  /** The variables that the rule mentions. */
  readonly mentions: ReadonlySet<string>;
  /** Values in the order in which the variables were declared. Throws what goes wrong. */
  readonly run: (values: readonly Value[], work: Work) => Value;
};

export type CompileFailure = { readonly kind: 'failure'; readonly message: string };

/** Longer rules than any that Kubernetes would find cheap enough to admit. */
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
    mentions: compiler.mentions,
    run: (values, work) => expression.run({ slots: [...values], work }),
  };
}

function parse(source: string): ASTNode | Issue {
  if (source.length > MAX_RULE_CHARS) return { offset: 0, message: 'Syntax error: expression too long' };
  try {
    return parser.parse(source).ast;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return { offset: error.range?.start ?? 0, message: `Syntax error: ${error.summary}` };
  }
}

const BINARY_NAMES: { readonly [op: string]: string } = {
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
};

class Compiler implements Compiling {
  readonly issues: Issue[] = [];
  readonly mentions = new Set<string>();
  readonly #source: string;
  #nesting = 0;

  constructor(source: string) {
    this.#source = source;
  }

  issue(offset: number, message: string): Expression {
    this.issues.push({ offset, message });
    return { type: DYN, run: () => null };
  }

  compile(node: ASTNode, scope: Scope | undefined): Expression {
    if (this.#nesting >= MAX_NESTING) return this.issue(node.pos, 'expression is nested too deeply');
    this.#nesting++;
    const expression = this.#compileNode(node, scope);
    this.#nesting--;
    return expression;
  }

  #compileNode(node: ASTNode, scope: Scope | undefined): Expression {
    switch (node.op) {
      case 'value':
        return constant(node.args);
      case 'id':
        return this.#identifier(node.args, node.pos, scope);
      case '.':
      case '.?':
        return this.#select(node.args[0], node.args[1], node.op === '.?', scope);
      case '[]':
      case '[?]':
        return this.#index(node.args[0], node.args[1], node.op === '[?]', scope);
      case 'call':
        return this.#call(node.args[0], node.args[1], node.start, scope);
      case 'rcall':
        return this.#methodCall(node.args[0], node.args[1], node.args[2], scope);
      case 'list':
        return this.#list(node.args, scope);
      case 'map':
        return this.#map(node.args, scope);
      case '?:':
        return this.#ternary(node.args, scope);
      case '||':
      case '&&':
        return this.#logical(node, node.op, scope);
      case '!_':
      case '-_':
        return this.#apply(node.op, OPERATORS[node.op] ?? [], [this.compile(node.args, scope)], node.pos);
      default: {
        const [left, right] = node.args;
        const name = BINARY_NAMES[node.op] ?? node.op;
        const operands = [this.compile(left, scope), this.compile(right, scope)];
        return this.#apply(name, OPERATORS[name] ?? [], operands, this.#after(left, node.op));
      }
    }
  }

  /** Where `text` stands behind a part of the rule: messages about an operator point at it. */
  #after(node: ASTNode, text: string): number {
    const found = this.#source.indexOf(text, node.end);
    return found < 0 ? node.pos : found;
  }

  #identifier(name: string, offset: number, scope: Scope | undefined): Expression {
    const variable = findVariable(scope, name);
    if (variable !== undefined) {
      this.mentions.add(name);
      const { slot, type } = variable;
      return {
        type,
        run: (frame) => {
          frame.work.spend(1);
          return frame.slots[slot] ?? null;
        },
      };
    }
    const type = TYPE_NAMES.get(name);
    if (type !== undefined) return { type: type.type, run: () => type.value };
    return this.issue(offset, `undeclared reference to '${name}' (in container '')`);
  }

  #select(target: ASTNode, name: string, isOptional: boolean, scope: Scope | undefined): Expression {
    const qualified = this.#qualifiedName(target, name, scope);
    if (qualified !== undefined) return qualified;
    const operand = this.compile(target, scope);
    const offset = this.#after(target, '.');
    const type = fieldType(operand.type, name);
    if (type === 'undefined') return this.issue(offset, `undefined field '${name}'`);
    if (type === 'unsupported') {
      return this.issue(offset, `type '${typeText(operand.type)}' does not support field selection`);
    }
    const chained = isOptional || operand.type.kind === 'optional';
    const select = chained ? selectOptional : selectField;
    return {
      type: chained ? optionalOf(type) : type,
      run: (frame) => {
        const value = operand.run(frame);
        frame.work.spend(1);
        return select(value, name);
      },
    };
  }

  /** `google.protobuf.Timestamp` is one name, not a field of a field. */
  #qualifiedName(target: ASTNode, name: string, scope: Scope | undefined): Expression | undefined {
    const path = dottedName(target);
    if (path === undefined || findVariable(scope, path.split('.')[0] ?? '') !== undefined) return undefined;
    const type = TYPE_NAMES.get(`${path}.${name}`);
    return type && { type: type.type, run: () => type.value };
  }

  #index(target: ASTNode, key: ASTNode, isOptional: boolean, scope: Scope | undefined): Expression {
    const operand = this.compile(target, scope);
    const index = this.compile(key, scope);
    const type = indexType(operand.type, index.type);
    if (type === undefined) {
      const types = `(${typeText(operand.type)}, ${typeText(index.type)})`;
      return this.issue(
        this.#after(target, '['),
        `found no matching overload for '_[_]' applied to '${types}'`,
      );
    }
    const chained = isOptional || operand.type.kind === 'optional';
    return {
      type: chained ? optionalOf(type) : type,
      run: (frame) => {
        const value = operand.run(frame);
        const at = index.run(frame);
        frame.work.spend(1);
        return selectIndex(value, at, chained);
      },
    };
  }

  #call(name: string, args: readonly ASTNode[], start: number, scope: Scope | undefined): Expression {
    const offset = start + name.length;
    const [first] = args;
    if (name === 'has' && args.length === 1 && first !== undefined) return this.#has(first, scope);
    const overloads = FUNCTIONS.get(name);
    const operands = args.map((arg) => this.compile(arg, scope));
    if (overloads === undefined) {
      return this.issue(offset, `undeclared reference to '${name}' (in container '')`);
    }
    this.#checkLiteral(name, first);
    return this.#apply(name, overloads, operands, offset);
  }

  #checkLiteral(name: string, node: ASTNode | undefined): void {
    if (node?.op !== 'value' || typeof node.args !== 'string') return;
    const message = literalIssue(name, node.args);
    if (message !== undefined) this.issue(node.pos, message);
  }

  #has(node: ASTNode, scope: Scope | undefined): Expression {
    if (node.op !== '.' && node.op !== '.?') {
      return this.issue(node.pos, 'invalid argument to has() macro');
    }
    const [target, name] = node.args;
    const operand = this.compile(target, scope);
    const type = fieldType(operand.type, name);
    if (type === 'undefined') return this.issue(this.#after(target, '.'), `undefined field '${name}'`);
    if (type === 'unsupported') {
      const message = `type '${typeText(operand.type)}' does not support field selection`;
      return this.issue(this.#after(target, '.'), message);
    }
    return { type: BOOL, run: (frame) => hasField(operand.run(frame), name) };
  }

  #methodCall(
    name: string,
    receiver: ASTNode,
    args: readonly ASTNode[],
    scope: Scope | undefined,
  ): Expression {
    const offset = this.#after(receiver, '(');
    const macro = compileMacro(this, { name, receiver, args, scope, offset });
    if (macro !== undefined) return macro;
    const path = dottedName(receiver);
    const isNamespace = path !== undefined && findVariable(scope, path.split('.')[0] ?? '') === undefined;
    const namespaced = isNamespace ? FUNCTIONS.get(`${path}.${name}`) : undefined;
    const operands = args.map((arg) => this.compile(arg, scope));
    if (namespaced !== undefined) return this.#apply(`${path}.${name}`, namespaced, operands, offset);
    const target = this.compile(receiver, scope);
    const overloads = METHODS.get(name);
    if (overloads === undefined) {
      return this.issue(offset, `undeclared reference to '${name}' (in container '')`);
    }
    if (name === 'orValue' || name === 'or') return this.#otherwise(name, target, operands, offset);
    this.#checkLiteral(name, args[0]);
    return this.#apply(name, overloads, [target, ...operands], offset, true);
  }

  /** The alternative of an optional runs only if it is needed. */
  #otherwise(name: string, target: Expression, operands: readonly Expression[], offset: number): Expression {
    const call = this.#apply(name, METHODS.get(name) ?? [], [target, ...operands], offset, true);
    const [alternative] = operands;
    if (alternative === undefined) return call;
    return {
      type: call.type,
      run: (frame) => {
        const optional = target.run(frame);
        frame.work.spend(1);
        if (typeof optional !== 'object' || optional === null || !('value' in optional))
          throw noSuchOverload();
        if (optional.value === undefined) return alternative.run(frame);
        return name === 'or' ? optional : (optional.value as Value);
      },
    };
  }

  #apply(
    name: string,
    overloads: readonly Overload[],
    operands: readonly Expression[],
    offset: number,
    isMethod = false,
  ): Expression {
    const types = operands.map((operand) => operand.type);
    const found = resolve(overloads, types);
    if (found === undefined) {
      const [receiver, ...rest] = types.map(typeText);
      const applied = isMethod ? `${receiver}.(${rest.join(', ')})` : `(${types.map(typeText).join(', ')})`;
      return this.issue(offset, `found no matching overload for '${name}' applied to '${applied}'`);
    }
    const { candidates, type } = found;
    const [only] = candidates;
    const isCertain = candidates.length === 1 && types.every((operand) => operand.kind !== 'dyn');
    return {
      type,
      run: (frame) => {
        const args = operands.map((operand) => operand.run(frame));
        const chosen = isCertain && only !== undefined ? only : pick(candidates, args);
        // Paid before the work is done: a call must not be able to do it first and fail afterwards.
        frame.work.spend(chosen.cost(args));
        return chosen.run(args);
      },
    };
  }

  #list(nodes: readonly ASTNode[], scope: Scope | undefined): Expression {
    const items = nodes.map((node) => this.compile(node, scope));
    const type = this.#commonType(items, nodes);
    return {
      type: listOf(type),
      run: (frame) => {
        frame.work.spend(10);
        return new ListValue(items.map((item) => item.run(frame)));
      },
    };
  }

  /** Literals hold one type; who wants several says `dyn(…)`. */
  #commonType(items: readonly Expression[], nodes: readonly ASTNode[]): CelType {
    let type: CelType | undefined;
    for (const [index, item] of items.entries()) {
      const joined = type === undefined ? item.type : join(type, item.type);
      if (joined === undefined && type !== undefined) {
        const message = `expected type '${typeText(type)}' but found '${typeText(item.type)}'`;
        this.issue(nodes[index]?.pos ?? 0, message);
      }
      type = joined ?? DYN;
    }
    return type ?? DYN;
  }

  #map(entries: readonly (readonly [ASTNode, ASTNode])[], scope: Scope | undefined): Expression {
    const keys = entries.map(([key]) => this.compile(key, scope));
    const values = entries.map(([, value]) => this.compile(value, scope));
    const keyType = this.#commonType(
      keys,
      entries.map(([key]) => key),
    );
    const valueType = this.#commonType(
      values,
      entries.map(([, value]) => value),
    );
    return {
      type: mapFrom(keyType, valueType),
      run: (frame) => {
        frame.work.spend(30);
        const result = new Map<MapKey, Value>();
        for (const [index, key] of keys.entries()) {
          const known = mapKey(key.run(frame));
          if (known === undefined) throw new EvaluationError('unsupported key type');
          result.set(known, values[index]?.run(frame) ?? null);
        }
        return new MapValue(result);
      },
    };
  }

  #ternary(nodes: readonly [ASTNode, ASTNode, ASTNode], scope: Scope | undefined): Expression {
    const [condition, then, otherwise] = nodes.map((node) => this.compile(node, scope));
    if (condition === undefined || then === undefined || otherwise === undefined) return constant(null);
    const type = join(then.type, otherwise.type);
    if (type === undefined || (condition.type.kind !== 'bool' && condition.type.kind !== 'dyn')) {
      const types = [condition, then, otherwise].map((part) => typeText(part.type)).join(', ');
      const message = `found no matching overload for '_?_:_' applied to '(${types})'`;
      return this.issue(this.#after(nodes[0], '?'), message);
    }
    return {
      type,
      run: (frame) => {
        const value = condition.run(frame);
        if (typeof value !== 'boolean') throw noSuchOverload();
        return value ? then.run(frame) : otherwise.run(frame);
      },
    };
  }

  /** A long chain of `&&` is one expression of many terms here, not a tree as deep as it is long. */
  #logical(node: ASTNode, op: '&&' | '||', scope: Scope | undefined): Expression {
    const terms: ASTNode[] = [];
    let rest: ASTNode = node;
    while (rest.op === op) {
      terms.unshift(rest.args[1]);
      rest = rest.args[0];
    }
    terms.unshift(rest);
    const expressions = terms.map((term) => {
      const expression = this.compile(term, scope);
      if (expression.type.kind === 'bool' || expression.type.kind === 'dyn') return expression;
      return this.issue(term.pos, `expected type 'bool' but found '${typeText(expression.type)}'`);
    });
    return { type: BOOL, run: (frame) => anyDecides(op === '||', expressions, frame) };
  }
}

/** Whether some term has the deciding value. A term that fails does not matter if another one decides. */
function anyDecides(
  deciding: boolean,
  terms: readonly Expression[],
  frame: Parameters<Expression['run']>[0],
): boolean {
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

function dottedName(node: ASTNode): string | undefined {
  if (node.op === 'id') return node.args;
  if (node.op !== '.') return undefined;
  const left = dottedName(node.args[0]);
  return left && `${left}.${node.args[1]}`;
}

function constant(literal: unknown): Expression {
  const [type, value] = literalValue(literal);
  return { type, run: () => value };
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
      // What is left is null, or the parser's own class for unsigned integers.
      return literal === null ? [NULL, null] : [UINT, new Uint(BigInt(String(literal)))];
  }
}
