/**
 * SelfSubjectAccessReview: checks the access of the user of the request (`kubectl auth can-i`).
 */
import { struct } from '../../schema/index.ts';
import { defineReview } from '../builtin.ts';
import { always, filled } from '../fields.ts';
import { AUTHORIZATION_GROUP, accessFields, accessStatus } from './access-attributes.ts';

export const selfSubjectAccessReview = defineReview({
  group: AUTHORIZATION_GROUP,
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  scope: 'Cluster',
  description: 'Checks the access of the user of the request.',
  fields: {
    spec: always(struct('authorization.SelfSubjectAccessReviewSpec', 'The question.', accessFields)),
    status: filled(accessStatus),
  },
});
