/**
 * Column descriptions of Leases, admission policies and RBAC kinds, as in kube-apiserver.
 */
import type { ColumnDescriptions } from './printer.ts';

export const LEASE: ColumnDescriptions = {
  Holder: [
    'holderIdentity contains the identity of the holder of a current lease. If Coordinated Leader',
    'Election is used, the holder identity must be equal to the elected LeaseCandidate.metadata.name',
    'field.',
  ],
};

export const VALIDATING_ADMISSION_POLICY: ColumnDescriptions = {
  Validations: ['Validations indicates the number of validation rules defined in this configuration'],
  ParamKind: ['ParamKind specifies the kind of resources used to parameterize this policy'],
};

export const VALIDATING_ADMISSION_POLICY_BINDING: ColumnDescriptions = {
  PolicyName: ['PolicyName indicates the policy definition which the policy binding binded to'],
  ParamRef: ['ParamRef indicates the param resource which sets the configration param'],
};

export const ROLE_BINDING: ColumnDescriptions = {
  Role: [
    'RoleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. If',
    'the RoleRef cannot be resolved, the Authorizer must return an error.',
  ],
  Users: ['Users in the roleBinding'],
  Groups: ['Groups in the roleBinding'],
  ServiceAccounts: ['ServiceAccounts in the roleBinding'],
};

export const CLUSTER_ROLE_BINDING: ColumnDescriptions = {
  Role: [
    'RoleRef can only reference a ClusterRole in the global namespace. If the RoleRef cannot be',
    'resolved, the Authorizer must return an error.',
  ],
  Users: ['Users in the clusterRoleBinding'],
  Groups: ['Groups in the clusterRoleBinding'],
  ServiceAccounts: ['ServiceAccounts in the clusterRoleBinding'],
};
