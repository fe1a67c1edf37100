/** SelfSubjectReview and TokenReview. */

import type { JsonObject } from '../../base/json.ts';
import { objectAt, stringAt, stringsAt } from '../../base/json-fields.ts';
import { quotedList } from './missing-rules.ts';
import { answered, type Reviewed } from './review.ts';
import { type User, userInfo } from './user.ts';

/** The body is ignored. `now`: RFC 3339, in whole seconds. */
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

/** The token of a TokenReview. */
type TokenQuestion = {
  readonly kind: 'question';
  readonly token: string;
  /** The requested audiences; empty for the API server itself. */
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

/** The result of authenticating a token. */
export type Authentication =
  /** `audiences`: those of the token that were requested. */
  | { readonly kind: 'known'; readonly user: User; readonly audiences: readonly string[] }
  | { readonly kind: 'unknown'; readonly error: string };

/** The review with the result. The groups of the user include `system:authenticated`. */
export function tokenReview(review: JsonObject, authentication: Authentication): Reviewed {
  if (authentication.kind === 'unknown') return answered(review, { user: {}, error: authentication.error });
  const { user, audiences } = authentication;
  return answered(review, {
    authenticated: true,
    user: userInfo(user),
    ...(audiences.length === 0 ? {} : { audiences }),
  });
}

/** Why a token is rejected. Causes come from its issuer; a token of unknown form has none. */
export function tokenError(...causes: readonly string[]): string {
  const texts = ['invalid bearer token', ...causes];
  return causes.length === 0 ? 'invalid bearer token' : `[${texts.join(', ')}]`;
}

/** Causes for {@link tokenError}. */
export const TOKEN_EXPIRED = 'service account token has expired';
/** The service account, pod or node of the token no longer exists. */
export const TOKEN_INVALIDATED = 'service account token has been invalidated';

export function wrongAudience(audiences: {
  readonly ofToken: readonly string[];
  readonly wanted: readonly string[];
}): string {
  const { ofToken, wanted } = audiences;
  return `token audiences ${quotedList(ofToken)} is invalid for the target audiences ${quotedList(wanted)}`;
}
