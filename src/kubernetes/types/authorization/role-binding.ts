/**
 * RoleBinding: grants a role to subjects in one namespace.
 */
import type { ObjectOfKind } from '../../meta/index.ts';
import { defineBuiltin } from '../builtin.ts';
import { bindingFields, RBAC_GROUP } from './rbac.ts';

export const roleBinding = defineBuiltin({
  group: RBAC_GROUP,
  kind: 'RoleBinding',
  plural: 'rolebindings',
  description: 'Grants a Role or ClusterRole to subjects, in one namespace.',
  fields: bindingFields,
});
export type RoleBinding = ObjectOfKind<typeof roleBinding>;
