/**
 * Who am I? Whose token is this? SelfSubjectReview and TokenReview.
 */

import type { JsonObject } from '../../base/json.ts';
import { objectAt, stringAt, stringsAt } from '../../base/json-fields.ts';
import { quotedList } from './missing-rules.ts';
import { answered, type Reviewed } from './review.ts';
import { type User, userInfo } from './user.ts';

/** Nothing that was sent counts: the answer is about who sent it. The time is RFC 3339, in whole seconds. */
export function selfSubjectReview(user: User, now: string): Reviewed {
  return {
    kind: 'answer',
    object: {
      kind: 'SelfSubjectReview',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { creationTimestamp: now },
      status: { userInfo: userInfo(user) },
    },
  };
}

/** The token that a TokenReview asks about. */
type TokenQuestion = {
  readonly kind: 'question';
  readonly token: string;
  /** For whom the token should be; for the API server itself where none is named. */
  readonly audiences: readonly string[];
};

export function tokenQuestion(
  review: JsonObject,
): TokenQuestion | { readonly kind: 'badRequest'; readonly message: string } {
  const spec = objectAt(review, 'spec');
  const token = stringAt(spec, 'token');
  if (token === '')
    return { kind: 'badRequest', message: 'token is required for TokenReview in authentication' };
  return { kind: 'question', token, audiences: stringsAt(spec, 'audiences') };
}

/** What came of checking a token. */
export type Authentication =
  /** The audiences are those of the token that were asked for. */
  | { readonly kind: 'known'; readonly user: User; readonly audiences: readonly string[] }
  | { readonly kind: 'unknown'; readonly error: string };

/** The review with what came of it. The user of a token has the group of all authenticated users among his own. */
export function tokenReview(review: JsonObject, authentication: Authentication): Reviewed {
  if (authentication.kind === 'unknown') return answered(review, { user: {}, error: authentication.error });
  const { user, audiences } = authentication;
  return answered(review, {
    authenticated: true,
    user: userInfo(user),
    ...(audiences.length === 0 ? {} : { audiences }),
  });
}

/** Why a token is not accepted. The causes are those of its issuer; a token of no form that is known has none. */
export function tokenError(...causes: readonly string[]): string {
  const texts = ['invalid bearer token', ...causes];
  return causes.length === 0 ? 'invalid bearer token' : `[${texts.join(', ')}]`;
}

/** Causes for {@link tokenError}. */
export const TOKEN_EXPIRED = 'service account token has expired';
/** The account, the pod or the node that it was bound to is gone. */
export const TOKEN_INVALIDATED = 'service account token has been invalidated';

export function wrongAudience(audiences: {
  readonly ofToken: readonly string[];
  readonly wanted: readonly string[];
}): string {
  const { ofToken, wanted } = audiences;
  return `token audiences ${quotedList(ofToken)} is invalid for the target audiences ${quotedList(wanted)}`;
}
