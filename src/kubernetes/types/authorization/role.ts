/**
 * Role: what may be done in one namespace.
 */
import type { ObjectOfKind } from '../../meta/index.ts';
import { nullable } from '../../schema/index.ts';
import { defineBuiltin } from '../builtin.ts';
import { policyRules, RBAC_GROUP } from './rbac.ts';

export const role = defineBuiltin({
  group: RBAC_GROUP,
  kind: 'Role',
  plural: 'roles',
  description: 'What may be done in one namespace, by those to whom a RoleBinding gives it.',
  fields: { rules: nullable(policyRules) },
});
export type Role = ObjectOfKind<typeof role>;
