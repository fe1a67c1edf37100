/**
 * LocalSubjectAccessReview: asks whether somebody may do something in one namespace.
 */
import { defineReview } from '../builtin.ts';
import { always, filled } from '../fields.ts';
import { AUTHORIZATION_GROUP, accessStatus, subjectAccessSpec } from './access-attributes.ts';

export const localSubjectAccessReview = defineReview({
  group: AUTHORIZATION_GROUP,
  kind: 'LocalSubjectAccessReview',
  plural: 'localsubjectaccessreviews',
  description: 'Asks whether somebody may do something in one namespace.',
  fields: { spec: always(subjectAccessSpec), status: filled(accessStatus) },
});
