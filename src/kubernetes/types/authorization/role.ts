/**
 * Role: rules for one namespace.
 */
import type { ObjectOfKind } from '../../meta/index.ts';
import { nullable } from '../../schema/index.ts';
import { defineBuiltin } from '../builtin.ts';
import { policyRules, RBAC_GROUP } from './rbac.ts';

export const role = defineBuiltin({
  group: RBAC_GROUP,
  kind: 'Role',
  plural: 'roles',
  description: 'Rules in one namespace, which RoleBindings grant.',
  fields: { rules: nullable(policyRules) },
});
export type Role = ObjectOfKind<typeof role>;
