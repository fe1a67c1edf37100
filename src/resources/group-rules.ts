/**
 * The rules of the kinds outside the core group, by resource. Kinds that are only asked, such as
 * SubjectAccessReviews, have the usual ones.
 */
import { admissionPolicyRules } from './admission-policy.ts';
import { admissionPolicyBindingRules } from './admission-policy-binding.ts';
import { daemonSetRules } from './daemon-set.ts';
import { deploymentRules } from './deployment.ts';
import { jobRules } from './job.ts';
import { leaseRules } from './lease.ts';
import { podDisruptionBudgetRules } from './pod-disruption-budget.ts';
import { clusterRoleRules, roleRules } from './rbac-rules.ts';
import { replicaSetRules } from './replica-set.ts';
import type { Rules } from './resource.ts';
import { clusterRoleBindingRules, roleBindingRules } from './role-binding.ts';

export const groupRules: Readonly<Record<string, Rules>> = {
  'deployments.apps': deploymentRules,
  'replicasets.apps': replicaSetRules,
  'daemonsets.apps': daemonSetRules,
  'jobs.batch': jobRules,
  'poddisruptionbudgets.policy': podDisruptionBudgetRules,
  'leases.coordination.k8s.io': leaseRules,
  'roles.rbac.authorization.k8s.io': roleRules,
  'clusterroles.rbac.authorization.k8s.io': clusterRoleRules,
  'rolebindings.rbac.authorization.k8s.io': roleBindingRules,
  'clusterrolebindings.rbac.authorization.k8s.io': clusterRoleBindingRules,
  'validatingadmissionpolicies.admissionregistration.k8s.io': admissionPolicyRules,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': admissionPolicyBindingRules,
};
