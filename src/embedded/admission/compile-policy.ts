/** Compiles the expressions of a policy, once per policy object. */

import { type JsonObject, own } from '../../base/json.ts';
import { objectAt, objectsAt, stringAt } from '../../base/json-fields.ts';
import type { CelType, Program } from '../../kubernetes/cel/index.ts';
import { compileExpression, type ExpressionFailure, policyVariables, typeOfVariable } from './environment.ts';

export type CompiledPolicy = {
  readonly matchConditions: readonly Expression[];
  readonly variables: readonly (Expression & { readonly name: string })[];
  readonly validations: readonly Validation[];
  readonly auditAnnotations: readonly (Expression & { readonly key: string })[];
};

export type Compiled = Program | ExpressionFailure;

export type Expression = {
  /** The source as in the policy, for messages. */
  readonly source: string;
  readonly compiled: Compiled;
  /** The variables of the program, in order. */
  readonly inputs: readonly string[];
};

export type Validation = Expression & {
  readonly message: string;
  /** The messageExpression, if any. */
  readonly messageExpression: Expression | undefined;
  readonly messageCompiled: Compiled | undefined;
  readonly reason: string | undefined;
};

const policies = new WeakMap<JsonObject, CompiledPolicy>();

export function compilePolicy(policy: JsonObject): CompiledPolicy {
  const known = policies.get(policy);
  if (known !== undefined) return known;
  const compiled = new PolicyCompiler(policy).compile();
  policies.set(policy, compiled);
  return compiled;
}

class PolicyCompiler {
  readonly #policy: JsonObject;
  /** Each variable can use the earlier ones. */
  readonly #types = new Map<string, CelType>();

  constructor(policy: JsonObject) {
    this.#policy = policy;
  }

  compile(): CompiledPolicy {
    const spec = objectAt(this.#policy, 'spec') ?? {};
    const matchConditions = objectsAt(spec, 'matchConditions').map((item) =>
      this.#expression(stringAt(item, 'expression'), 'matchCondition'),
    );
    const variables = objectsAt(spec, 'variables').map((item) => {
      const name = stringAt(item, 'name');
      const expression = this.#expression(stringAt(item, 'expression'), 'variable');
      this.#types.set(name, typeOfVariable(expression.compiled));
      return { ...expression, name };
    });
    const validations = objectsAt(spec, 'validations').map((item): Validation => {
      const computed = stringAt(item, 'messageExpression');
      const messageExpression = computed === '' ? undefined : this.#expression(computed, 'message');
      const reason = own(item, 'reason');
      return {
        ...this.#expression(stringAt(item, 'expression'), 'validation'),
        message: stringAt(item, 'message'),
        messageExpression,
        messageCompiled: messageExpression?.compiled,
        reason: typeof reason === 'string' ? reason : undefined,
      };
    });
    const auditAnnotations = objectsAt(spec, 'auditAnnotations').map((item) => ({
      ...this.#expression(stringAt(item, 'valueExpression'), 'auditAnnotation'),
      key: stringAt(item, 'key'),
    }));
    return { matchConditions, variables, validations, auditAnnotations };
  }

  #expression(source: string, purpose: Parameters<typeof compileExpression>[1]): Expression {
    const variables = policyVariables(this.#policy, purpose, this.#types);
    // kube-apiserver trims these two, so columns count from the first character.
    const isTrimmed = purpose === 'matchCondition' || purpose === 'auditAnnotation';
    const compiled = compileExpression(isTrimmed ? source.trim() : source, purpose, variables);
    return { source, compiled, inputs: variables.map(({ name }) => name) };
  }
}
