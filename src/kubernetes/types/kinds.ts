/** All built-in kinds here, in the order of their groups and names. */
import { apiVersionOf } from '../meta/index.ts';
import { clusterRole } from './authorization/cluster-role.ts';
import { clusterRoleBinding } from './authorization/cluster-role-binding.ts';
import { localSubjectAccessReview } from './authorization/local-subject-access-review.ts';
import { role } from './authorization/role.ts';
import { roleBinding } from './authorization/role-binding.ts';
import { selfSubjectAccessReview } from './authorization/self-subject-access-review.ts';
import { selfSubjectReview } from './authorization/self-subject-review.ts';
import { selfSubjectRulesReview } from './authorization/self-subject-rules-review.ts';
import { subjectAccessReview } from './authorization/subject-access-review.ts';
import { tokenRequest } from './authorization/token-request.ts';
import { tokenReview } from './authorization/token-review.ts';
import { binding } from './binding.ts';
import type { AnyBody, AnyBuiltin } from './builtin.ts';
import { configMap } from './config-map.ts';
import { customResourceDefinition } from './custom-resource-definition.ts';
import { daemonSet } from './daemon-set.ts';
import { deployment } from './deployment.ts';
import { endpoints } from './endpoints.ts';
import { event } from './event.ts';
import { eventsEvent } from './events-event.ts';
import { eviction } from './eviction.ts';
import { job } from './job.ts';
import { lease } from './lease.ts';
import { namespace } from './namespace.ts';
import { node } from './node.ts';
import { pod } from './pod.ts';
import { podDisruptionBudget } from './pod-disruption-budget.ts';
import { replicaSet } from './replica-set.ts';
import { scale } from './scale.ts';
import { secret } from './secret.ts';
import { service } from './service.ts';
import { serviceAccount } from './service-account.ts';
import { validatingAdmissionPolicy } from './validating-admission-policy.ts';
import { validatingAdmissionPolicyBinding } from './validating-admission-policy-binding.ts';

/** Kinds with paths of their own. */
export const builtins: readonly AnyBuiltin[] = [
  binding,
  configMap,
  endpoints,
  event,
  namespace,
  node,
  pod,
  secret,
  service,
  serviceAccount,
  validatingAdmissionPolicy,
  validatingAdmissionPolicyBinding,
  customResourceDefinition,
  daemonSet,
  deployment,
  replicaSet,
  selfSubjectReview,
  tokenReview,
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectRulesReview,
  subjectAccessReview,
  job,
  lease,
  eventsEvent,
  podDisruptionBudget,
  clusterRole,
  clusterRoleBinding,
  role,
  roleBinding,
];

/** Kinds of subresources only. */
export const bodies: readonly AnyBody[] = [tokenRequest, scale, eviction];

/** The resource with this `apiVersion` and `kind`. */
export function findBuiltin(apiVersion: string, kind: string): AnyBuiltin | undefined {
  return builtins.find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
}

/** The same, also for kinds of subresources. */
export function findBody(apiVersion: string, kind: string): AnyBody | undefined {
  return (
    findBuiltin(apiVersion, kind) ??
    bodies.find((one) => one.kind === kind && apiVersionOf(one) === apiVersion)
  );
}
