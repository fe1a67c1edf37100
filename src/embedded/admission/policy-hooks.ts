/**
 * The bound policies by resource.
 *
 * Computed once for the lists of policies and bindings, so that a write without a matching policy costs two lookups.
 */

import { compareBytes, type JsonObject } from '../../base/json.ts';
import { type Fields, objectAt, stringAt } from '../../base/json-fields.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';
import type { AdmissionContext, ResourceName } from './admission.ts';
import { resourcesOf } from './match.ts';

/** A policy with its bindings, at least one. */
export type PolicyHook = {
  readonly policy: JsonObject;
  readonly spec: Fields;
  readonly constraints: Fields | undefined;
  readonly bindings: readonly { readonly name: string; readonly spec: Fields }[];
};

type Index = {
  readonly hooks: readonly PolicyHook[];
  readonly byResource: Map<string, readonly PolicyHook[]>;
};

const NONE: readonly PolicyHook[] = [];

/** Sorted by name. */
export function policyHooksFor(
  resource: ResourceName,
  { policies, bindings }: Pick<AdmissionContext, 'policies' | 'bindings'>,
): readonly PolicyHook[] {
  if (policies.length === 0 || bindings.length === 0 || isExempt(resource)) return NONE;
  const { hooks, byResource } = indexOf(policies, bindings);
  // A resource has the same plural in all its groups and versions.
  const known = byResource.get(resource.plural);
  if (known !== undefined) return known;
  const found = hooks.filter(({ constraints }) => mayLookAt(constraints, resource.plural));
  byResource.set(resource.plural, found);
  return found;
}

/** Policies cannot block changes of policies, or reviews. */
function isExempt({ group, plural }: ResourceName): boolean {
  return EXEMPT.has(`${plural}.${group}`);
}

const EXEMPT: ReadonlySet<string> = new Set([
  'validatingadmissionpolicies.admissionregistration.k8s.io',
  'validatingadmissionpolicybindings.admissionregistration.k8s.io',
  'mutatingadmissionpolicies.admissionregistration.k8s.io',
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
  'tokenreviews.authentication.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
  'subjectaccessreviews.authorization.k8s.io',
]);

/** A policy without resource rules is invalid, which its evaluation reports. */
function mayLookAt(constraints: Fields | undefined, plural: string): boolean {
  if (constraints === undefined) return true;
  const resources = resourcesOf(constraints);
  return resources.length === 0 || resources.some((one) => one === '*' || one === plural);
}

const indexes = new WeakMap<readonly JsonObject[], WeakMap<readonly JsonObject[], Index>>();

function indexOf(policies: readonly JsonObject[], bindings: readonly JsonObject[]): Index {
  const byBindings = indexes.get(policies) ?? new WeakMap<readonly JsonObject[], Index>();
  indexes.set(policies, byBindings);
  const known = byBindings.get(bindings);
  if (known !== undefined) return known;
  const index: Index = { hooks: hooksOf(policies, bindings), byResource: new Map() };
  byBindings.set(bindings, index);
  return index;
}

function hooksOf(policies: readonly JsonObject[], bindings: readonly JsonObject[]): readonly PolicyHook[] {
  const byPolicy = new Map<string, { readonly name: string; readonly spec: Fields }[]>();
  for (const binding of bindings.toSorted(byName)) {
    const spec = objectAt(binding, 'spec') ?? {};
    const policyName = stringAt(spec, 'policyName');
    const others = byPolicy.get(policyName) ?? [];
    byPolicy.set(policyName, [...others, { name: nameOf(binding), spec }]);
  }
  return policies.toSorted(byName).flatMap((policy) => {
    const spec = objectAt(policy, 'spec') ?? {};
    const ours = byPolicy.get(nameOf(policy)) ?? [];
    if (ours.length === 0) return [];
    return [{ policy, spec, constraints: objectAt(spec, 'matchConstraints'), bindings: ours }];
  });
}

function byName(left: JsonObject, right: JsonObject): number {
  return compareBytes(nameOf(left), nameOf(right));
}
