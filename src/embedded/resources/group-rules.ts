/**
 * The rules of the kinds outside the core group, by resource. Kinds that are only asked, such as
 * SubjectAccessReviews, have the usual ones.
 */

import { leaseRules } from './lease.ts';
import { admissionPolicyRules } from './policies/admission-policy.ts';
import { admissionPolicyBindingRules } from './policies/admission-policy-binding.ts';
import { clusterRoleRules, roleRules } from './policies/rbac-rules.ts';
import { clusterRoleBindingRules, roleBindingRules } from './policies/role-binding.ts';
import type { Rules } from './resource.ts';
import { daemonSetRules } from './workloads/daemon-set.ts';
import { deploymentRules } from './workloads/deployment.ts';
import { jobRules } from './workloads/job.ts';
import { podDisruptionBudgetRules } from './workloads/pod-disruption-budget.ts';
import { replicaSetRules } from './workloads/replica-set.ts';

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
