/**
 * Types that the four kinds of RBAC share: rules and subjects.
 */
import { type Infer, required, string, struct } from '../../schema/index.ts';
import { always, items, strings, withDefault } from '../fields.ts';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';

const policyRule = struct('rbac.PolicyRule', 'Verbs on resources, or on paths.', {
  verbs: required(strings('The verbs; * means all.', 'A verb.')),
  apiGroups: strings('The API groups; * means all, an empty string the core group.', 'A group.'),
  resources: strings('With which resources, such as pods or pods/log; * means all.', 'A resource.'),
  resourceNames: strings('With which objects; with all unless given.', 'A name.'),
  nonResourceURLs: strings(
    'With which paths outside the API, such as /healthz; in ClusterRoles only.',
    'A path.',
  ),
});
export type PolicyRule = Infer<typeof policyRule>;

export const policyRules = items('What is allowed.', policyRule);

const roleRef = struct(
  'rbac.RoleRef',
  'A role.',
  {
    apiGroup: required(withDefault(string('Its group.'), RBAC_GROUP)),
    kind: required(string('Role or ClusterRole.')),
    name: required(string('Its name.')),
  },
  { atomic: true },
);
export type RoleRef = Infer<typeof roleRef>;

const subject = struct(
  'rbac.Subject',
  'A user, group or service account.',
  {
    kind: required(string('User, Group or ServiceAccount.')),
    name: required(string('Its name.')),
    namespace: string('The namespace of a service account.'),
    apiGroup: string('Its group; empty for service accounts.'),
  },
  { atomic: true },
);
export type Subject = Infer<typeof subject>;

export const bindingFields = {
  roleRef: always(roleRef),
  subjects: items('The subjects of the role.', subject),
};
