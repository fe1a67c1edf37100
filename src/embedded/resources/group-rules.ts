/**
 * The rules of the kinds outside the core group, by resource. Kinds that are only asked, such as
 * SubjectAccessReviews, have the usual ones.
 */

import { leaseStrategy } from './lease.ts';
import { admissionPolicyStrategy } from './policies/admission-policy.ts';
import { admissionPolicyBindingStrategy } from './policies/admission-policy-binding.ts';
import { clusterRoleStrategy, roleStrategy } from './policies/rbac-rules.ts';
import { clusterRoleBindingStrategy, roleBindingStrategy } from './policies/role-binding.ts';
import type { Strategy } from './resource.ts';
import { daemonSetStrategy } from './workloads/daemon-set.ts';
import { deploymentStrategy } from './workloads/deployment.ts';
import { jobStrategy } from './workloads/job.ts';
import { podDisruptionBudgetStrategy } from './workloads/pod-disruption-budget.ts';
import { replicaSetStrategy } from './workloads/replica-set.ts';

export const groupStrategies: Readonly<Record<string, Strategy>> = {
  'deployments.apps': deploymentStrategy,
  'replicasets.apps': replicaSetStrategy,
  'daemonsets.apps': daemonSetStrategy,
  'jobs.batch': jobStrategy,
  'poddisruptionbudgets.policy': podDisruptionBudgetStrategy,
  'leases.coordination.k8s.io': leaseStrategy,
  'roles.rbac.authorization.k8s.io': roleStrategy,
  'clusterroles.rbac.authorization.k8s.io': clusterRoleStrategy,
  'rolebindings.rbac.authorization.k8s.io': roleBindingStrategy,
  'clusterrolebindings.rbac.authorization.k8s.io': clusterRoleBindingStrategy,
  'validatingadmissionpolicies.admissionregistration.k8s.io': admissionPolicyStrategy,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': admissionPolicyBindingStrategy,
};
