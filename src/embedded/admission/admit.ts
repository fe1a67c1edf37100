/**
 * Evaluates the ValidatingAdmissionPolicies for a request.
 *
 * All matching policies and bindings are evaluated, sorted by name (the order of kube-apiserver is random). The first
 * denial is reported.
 */

import type { JsonObject } from '../../base/json.ts';
import { objectAt, stringAt, stringsAt } from '../../base/json-fields.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';
import type {
  Admission,
  AdmissionContext,
  AdmissionRequest,
  Equivalent,
  ParamSource,
  ResourceName,
} from './admission.ts';
import { AuditTrail } from './audit-trail.ts';
import { compilePolicy } from './compile-policy.ts';
import { denialOf, type Rejection } from './denial.ts';
import { inputsFrom } from './inputs.ts';
import { isNamespaces, matchResources } from './match.ts';
import { collectParams, paramKindOf } from './params.ts';
import { type PolicyHook, policyHooksFor } from './policy-hooks.ts';
import { type PolicyResult, type Violation, validatePolicy } from './validate.ts';

const ADMITTED: Admission = { warnings: [], auditAnnotations: {} };

export function admit(request: AdmissionRequest, context: AdmissionContext): Admission {
  const hooks = policyHooksFor(request.resource, context);
  return hooks.length === 0 ? ADMITTED : new Dispatcher(request, context).run(hooks);
}

type Binding = PolicyHook['bindings'][number];
/** The resource in the version that the policy matches. */
type Known = ResourceName | Equivalent;

class Dispatcher {
  readonly #request: AdmissionRequest;
  readonly #context: AdmissionContext;
  readonly #rejections: Rejection[] = [];
  readonly #warnings: string[] = [];
  readonly #audit = new AuditTrail();

  constructor(request: AdmissionRequest, context: AdmissionContext) {
    this.#request = request;
    this.#context = context;
  }

  run(hooks: readonly PolicyHook[]): Admission {
    for (const hook of hooks) this.#evaluate(hook);
    const [rejection] = this.#rejections;
    return {
      ...(rejection === undefined ? {} : { denial: denialOf(rejection, this.#request) }),
      warnings: this.#warnings,
      auditAnnotations: this.#audit.annotations(),
    };
  }

  #evaluate(hook: PolicyHook): void {
    const { constraints, spec } = hook;
    if (constraints === undefined) {
      this.#rejectMisconfigured(hook, 'policy contained no match constraints, a required field');
      return;
    }
    const match = matchResources(constraints, this.#request, this.#context);
    if (match.kind === 'failed') this.#rejectMisconfigured(hook, match.message);
    if (match.kind !== 'match') return;
    const kind = paramKindOf(spec);
    const source = kind && this.#context.paramsOf(kind);
    if (kind !== undefined && source === undefined) {
      const name = `${kind.group}/${kind.version}, Kind=${kind.kind}`;
      this.#rejectMisconfigured(hook, `failed to find resource referenced by paramKind: '${name}'`);
      return;
    }
    for (const binding of hook.bindings) this.#evaluateBinding(hook, binding, { as: match.as, source });
  }

  #evaluateBinding(
    hook: PolicyHook,
    binding: Binding,
    { as, source }: { readonly as: Known; readonly source: ParamSource | undefined },
  ): void {
    const narrowed = objectAt(binding.spec, 'matchResources');
    if (narrowed !== undefined) {
      const match = matchResources(narrowed, this.#request, this.#context);
      if (match.kind === 'failed') this.#rejectMisconfigured(hook, match.message, binding);
      if (match.kind !== 'match') return;
    }
    const found = collectParams(source, binding.spec, this.#request.namespace);
    if (found.kind === 'failed') {
      this.#rejectMisconfigured(hook, found.message, binding);
      return;
    }
    for (const params of found.params) this.#apply(this.#validate(hook, as, params), hook, binding);
  }

  #validate(hook: PolicyHook, as: Known, params: JsonObject | undefined): PolicyResult {
    const request = this.#request;
    const seen = (object: JsonObject | undefined) =>
      object !== undefined && 'convert' in as ? as.convert(object) : object;
    const isInside = request.namespace !== '' && !isNamespaces(request);
    const context = {
      request,
      as,
      object: seen(request.object),
      oldObject: seen(request.oldObject),
      params,
      namespaceObject: undefined,
      authorize: this.#context.authorize,
    };
    const namespaceObject = isInside ? this.#context.namespaceNamed(request.namespace) : undefined;
    const inputs = {
      // kube-apiserver does not pass the namespace to match conditions.
      forMatching: inputsFrom(context),
      forRules: inputsFrom({ ...context, namespaceObject }),
    };
    return validatePolicy(compilePolicy(hook.policy), inputs, ignoresErrors(hook));
  }

  #apply(result: PolicyResult, hook: PolicyHook, binding: Binding): void {
    const policyName = nameOf(hook.policy);
    const bindingName = binding.name;
    for (const violation of result.violations) this.#report(violation, policyName, binding);
    for (const { key, value } of result.annotations) this.#audit.add(`${policyName}/${key}`, value);
    for (const message of result.annotationErrors) {
      this.#rejections.push({ policyName, bindingName, message });
    }
  }

  #report({ index, ...why }: Violation, policyName: string, binding: Binding): void {
    const bindingName = binding.name;
    const actions = stringsAt(binding.spec, 'validationActions');
    if (actions.includes('Deny')) this.#rejections.push({ policyName, bindingName, ...why });
    if (actions.includes('Warn')) {
      const who = `ValidatingAdmissionPolicy '${policyName}' with binding '${bindingName}'`;
      this.#warnings.push(`Validation failed for ${who}: ${why.message}`);
    }
    if (actions.includes('Audit')) {
      this.#audit.fail({ message: why.message, policyName, bindingName, index, actions });
    }
  }

  /** A policy that cannot be evaluated denies, unless its failurePolicy is Ignore. */
  #rejectMisconfigured(hook: PolicyHook, why: string, binding?: Binding): void {
    if (ignoresErrors(hook)) return;
    const policyName = nameOf(hook.policy);
    this.#rejections.push(
      binding === undefined
        ? { policyName, message: `failed to configure policy: ${why}` }
        : { policyName, bindingName: binding.name, message: `failed to configure binding: ${why}` },
    );
  }
}

function ignoresErrors({ spec }: PolicyHook): boolean {
  return stringAt(spec, 'failurePolicy') === 'Ignore';
}
