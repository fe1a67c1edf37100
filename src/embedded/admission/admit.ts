/**
 * Whether policies let a request pass.
 *
 * All policies that look at the request are asked, in the order of their names, each through its bindings, in
 * the order of theirs; the server's own order is by chance. The first refusal is the one that is told.
 */

import type { JsonObject } from '../../base/json.ts';
import { objectAt, stringAt, stringsAt } from '../../base/json-fields.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';
import type {
  Admission,
  AdmissionRequest,
  AdmissionWorld,
  Equivalent,
  ParamSource,
  ResourceName,
} from './admission.ts';
import { AuditTrail } from './audit-trail.ts';
import { compilePolicy } from './compile-policy.ts';
import { denialOf, type Refusal } from './denial.ts';
import { inputsFrom } from './inputs.ts';
import { isNamespaces, matchResources } from './match.ts';
import { collectParams, paramKindOf } from './params.ts';
import { type Hook, hooksFor } from './policy-hooks.ts';
import { type Complaint, type Judgement, judge } from './validate.ts';

const ADMITTED: Admission = { warnings: [], auditAnnotations: {} };

export function admit(request: AdmissionRequest, world: AdmissionWorld): Admission {
  const hooks = hooksFor(request.resource, world);
  return hooks.length === 0 ? ADMITTED : new Dispatch(request, world).run(hooks);
}

type Binding = Hook['bindings'][number];
/** How the policy knows the resource of the request. */
type Known = ResourceName | Equivalent;

class Dispatch {
  readonly #request: AdmissionRequest;
  readonly #world: AdmissionWorld;
  readonly #refusals: Refusal[] = [];
  readonly #warnings: string[] = [];
  readonly #audit = new AuditTrail();

  constructor(request: AdmissionRequest, world: AdmissionWorld) {
    this.#request = request;
    this.#world = world;
  }

  run(hooks: readonly Hook[]): Admission {
    for (const hook of hooks) this.#ask(hook);
    const [refusal] = this.#refusals;
    return {
      ...(refusal === undefined ? {} : { denial: denialOf(refusal, this.#request) }),
      warnings: this.#warnings,
      auditAnnotations: this.#audit.annotations(),
    };
  }

  #ask(hook: Hook): void {
    const { constraints, spec } = hook;
    if (constraints === undefined) {
      this.#misconfigured(hook, 'policy contained no match constraints, a required field');
      return;
    }
    const match = matchResources(constraints, this.#request, this.#world);
    if (match.kind === 'failed') this.#misconfigured(hook, match.message);
    if (match.kind !== 'match') return;
    const kind = paramKindOf(spec);
    const source = kind && this.#world.paramsOf(kind);
    if (kind !== undefined && source === undefined) {
      const name = `${kind.group}/${kind.version}, Kind=${kind.kind}`;
      this.#misconfigured(hook, `failed to find resource referenced by paramKind: '${name}'`);
      return;
    }
    for (const binding of hook.bindings) this.#askThrough(hook, binding, { as: match.as, source });
  }

  #askThrough(
    hook: Hook,
    binding: Binding,
    { as, source }: { readonly as: Known; readonly source: ParamSource | undefined },
  ): void {
    const narrowed = objectAt(binding.spec, 'matchResources');
    if (narrowed !== undefined) {
      const match = matchResources(narrowed, this.#request, this.#world);
      if (match.kind === 'failed') this.#misconfigured(hook, match.message, binding);
      if (match.kind !== 'match') return;
    }
    const found = collectParams(source, binding.spec, this.#request.namespace);
    if (found.kind === 'failed') {
      this.#misconfigured(hook, found.message, binding);
      return;
    }
    for (const params of found.params) this.#heed(this.#judgement(hook, as, params), hook, binding);
  }

  #judgement(hook: Hook, as: Known, params: JsonObject | undefined): Judgement {
    const request = this.#request;
    const seen = (object: JsonObject | undefined) =>
      object !== undefined && 'convert' in as ? as.convert(object) : object;
    const isInside = request.namespace !== '' && !isNamespaces(request);
    const surroundings = {
      request,
      as,
      object: seen(request.object),
      oldObject: seen(request.oldObject),
      params,
      namespaceObject: undefined,
      authorize: this.#world.authorize,
    };
    const namespaceObject = isInside ? this.#world.namespaceNamed(request.namespace) : undefined;
    const inputs = {
      // The server does not tell match conditions of the namespace.
      forMatching: inputsFrom(surroundings),
      forRules: inputsFrom({ ...surroundings, namespaceObject }),
    };
    return judge(compilePolicy(hook.policy), inputs, ignoresErrors(hook));
  }

  #heed(judgement: Judgement, hook: Hook, binding: Binding): void {
    const policyName = nameOf(hook.policy);
    const bindingName = binding.name;
    for (const complaint of judgement.complaints) this.#complain(complaint, policyName, binding);
    for (const { key, value } of judgement.annotations) this.#audit.add(`${policyName}/${key}`, value);
    for (const message of judgement.annotationErrors) {
      this.#refusals.push({ policyName, bindingName, message });
    }
  }

  #complain({ index, ...why }: Complaint, policyName: string, binding: Binding): void {
    const bindingName = binding.name;
    const actions = stringsAt(binding.spec, 'validationActions');
    if (actions.includes('Deny')) this.#refusals.push({ policyName, bindingName, ...why });
    if (actions.includes('Warn')) {
      const who = `ValidatingAdmissionPolicy '${policyName}' with binding '${bindingName}'`;
      this.#warnings.push(`Validation failed for ${who}: ${why.message}`);
    }
    if (actions.includes('Audit')) {
      this.#audit.fail({ message: why.message, policyName, bindingName, index, actions });
    }
  }

  /** A policy that cannot be asked refuses, unless failures are to be ignored. */
  #misconfigured(hook: Hook, why: string, binding?: Binding): void {
    if (ignoresErrors(hook)) return;
    const policyName = nameOf(hook.policy);
    this.#refusals.push(
      binding === undefined
        ? { policyName, message: `failed to configure policy: ${why}` }
        : { policyName, bindingName: binding.name, message: `failed to configure binding: ${why}` },
    );
  }
}

function ignoresErrors({ spec }: Hook): boolean {
  return stringAt(spec, 'failurePolicy') === 'Ignore';
}
