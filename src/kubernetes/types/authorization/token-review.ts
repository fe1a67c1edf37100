/**
 * TokenReview: authenticates a token.
 */
import { boolean, string, struct } from '../../schema/index.ts';
import { defineReview } from '../builtin.ts';
import { always, filled, strings } from '../fields.ts';
import { userInfo } from './user-info.ts';

export const tokenReview = defineReview({
  group: 'authentication.k8s.io',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  scope: 'Cluster',
  description: 'Asks whose token this is.',
  fields: {
    spec: always(
      struct('authentication.TokenReviewSpec', 'The question.', {
        token: string('The token.'),
        audiences: strings('For whom it should be; for the API server unless given.', 'A party.'),
      }),
    ),
    status: filled(
      struct('authentication.TokenReviewStatus', 'The answer.', {
        authenticated: boolean('Whether it is known.'),
        user: filled(userInfo),
        audiences: strings('The requested audiences that the token is for.', 'A party.'),
        error: string('Why it could not be checked.'),
      }),
    ),
  },
});
