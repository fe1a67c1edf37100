/**
 * ClusterRoleBinding: grants a ClusterRole to subjects in the whole cluster.
 */
import type { ObjectOfKind } from '../../meta/index.ts';
import { defineBuiltin } from '../builtin.ts';
import { bindingFields, RBAC_GROUP } from './rbac.ts';

export const clusterRoleBinding = defineBuiltin({
  group: RBAC_GROUP,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  scope: 'Cluster',
  description: 'Grants a ClusterRole to subjects, in the whole cluster.',
  fields: bindingFields,
});
export type ClusterRoleBinding = ObjectOfKind<typeof clusterRoleBinding>;
