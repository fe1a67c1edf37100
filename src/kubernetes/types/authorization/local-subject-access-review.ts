/**
 * LocalSubjectAccessReview: checks the access of a user in one namespace.
 */
import { defineReview } from '../builtin.ts';
import { always, filled } from '../fields.ts';
import { AUTHORIZATION_GROUP, accessStatus, subjectAccessSpec } from './access-attributes.ts';

export const localSubjectAccessReview = defineReview({
  group: AUTHORIZATION_GROUP,
  kind: 'LocalSubjectAccessReview',
  plural: 'localsubjectaccessreviews',
  description: 'Checks the access of a user in one namespace.',
  fields: { spec: always(subjectAccessSpec), status: filled(accessStatus) },
});
