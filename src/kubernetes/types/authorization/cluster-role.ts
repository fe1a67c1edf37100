/**
 * ClusterRole: rules for the whole cluster, or for any one namespace.
 */
import { labelSelector, type ObjectOfKind } from '../../meta/index.ts';
import { nullable, struct } from '../../schema/index.ts';
import { defineBuiltin } from '../builtin.ts';
import { items } from '../fields.ts';
import { policyRules, RBAC_GROUP } from './rbac.ts';

export const clusterRole = defineBuiltin({
  group: RBAC_GROUP,
  kind: 'ClusterRole',
  plural: 'clusterroles',
  scope: 'Cluster',
  description: 'Rules that ClusterRoleBindings and RoleBindings grant.',
  fields: {
    rules: nullable(policyRules),
    aggregationRule: struct('rbac.AggregationRule', 'Makes the rules from those of other ClusterRoles.', {
      clusterRoleSelectors: items('Which ones; one selector suffices.', labelSelector('Labels of theirs.')),
    }),
  },
});
export type ClusterRole = ObjectOfKind<typeof clusterRole>;
