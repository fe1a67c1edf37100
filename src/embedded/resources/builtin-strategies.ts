/**
 * The strategies of built-in kinds, by group resource (`pods`, `deployments.apps`). Kinds that are not listed, such as
 * SubjectAccessReview, have the default strategy.
 */
import { configMapStrategy } from './config-map.ts';
import { coreEventStrategy, eventsEventStrategy } from './event.ts';
import { leaseStrategy } from './lease.ts';
import { namespaceStrategy } from './namespace.ts';
import { nodeStrategy } from './node.ts';
import { podStrategy } from './pods/pod.ts';
import { admissionPolicyStrategy } from './policies/admission-policy.ts';
import { admissionPolicyBindingStrategy } from './policies/admission-policy-binding.ts';
import { clusterRoleStrategy, roleStrategy } from './policies/role.ts';
import { clusterRoleBindingStrategy, roleBindingStrategy } from './policies/role-binding.ts';
import { secretStrategy } from './secret.ts';
import { serviceAccountStrategy } from './service-account.ts';
import { endpointsStrategy } from './services/endpoints.ts';
import { serviceStrategy } from './services/service.ts';
import type { Strategy } from './strategy.ts';
import { daemonSetStrategy } from './workloads/daemon-set.ts';
import { deploymentStrategy } from './workloads/deployment.ts';
import { jobStrategy } from './workloads/job.ts';
import { podDisruptionBudgetStrategy } from './workloads/pod-disruption-budget.ts';
import { replicaSetStrategy } from './workloads/replica-set.ts';

export const builtinStrategies: Readonly<Record<string, Strategy>> = {
  configmaps: configMapStrategy,
  endpoints: endpointsStrategy,
  events: coreEventStrategy,
  'events.events.k8s.io': eventsEventStrategy,
  namespaces: namespaceStrategy,
  nodes: nodeStrategy,
  pods: podStrategy,
  secrets: secretStrategy,
  serviceaccounts: serviceAccountStrategy,
  services: serviceStrategy,
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
