/**
 * SubjectAccessReview: checks the access of a user.
 */
import { defineReview } from '../builtin.ts';
import { always, filled } from '../fields.ts';
import { AUTHORIZATION_GROUP, accessStatus, subjectAccessSpec } from './access-attributes.ts';

export const subjectAccessReview = defineReview({
  group: AUTHORIZATION_GROUP,
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  scope: 'Cluster',
  description: 'Checks the access of a user.',
  fields: { spec: always(subjectAccessSpec), status: filled(accessStatus) },
});
