/**
 * SelfSubjectReview: returns the user of the request (`kubectl auth whoami`).
 */
import { struct } from '../../schema/index.ts';
import { defineReview } from '../builtin.ts';
import { filled } from '../fields.ts';
import { userInfo } from './user-info.ts';

export const selfSubjectReview = defineReview({
  group: 'authentication.k8s.io',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  scope: 'Cluster',
  description: 'Asks who I am.',
  fields: {
    status: filled(
      struct('authentication.SelfSubjectReviewStatus', 'The answer.', { userInfo: filled(userInfo) }),
    ),
  },
});
