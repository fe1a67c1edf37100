/**
 * ServiceAccount: the identity of a program in the cluster.
 */
import { objectReference } from '../meta/index.ts';
import { boolean, pointer } from '../schema/index.ts';
import { tokenRequest } from './authorization/token-request.ts';
import { defineBuiltin } from './builtin.ts';
import { items, keyed } from './fields.ts';
import { localReference } from './references.ts';

export const serviceAccount = defineBuiltin({
  group: '',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  shortNames: ['sa'],
  description: 'Who a program is, for the server.',
  subresources: [{ name: 'token', verbs: ['create'], takes: tokenRequest }],
  fields: {
    imagePullSecrets: items('Secrets with which its pods pull images.', localReference('A Secret.')),
    automountServiceAccountToken: pointer(
      boolean('Whether its pods get a token mounted, unless they override it.'),
    ),
    secrets: keyed('Secrets that its pods may mount.', objectReference('A Secret.'), ['name']),
  },
});
