/**
 * May I? May he? SelfSubjectAccessReview, SubjectAccessReview and LocalSubjectAccessReview.
 */
import { isObject, type JsonObject, own } from '../../base/json.ts';
import { accessReviewProblems, type ReviewScope } from './access-review-problems.ts';
import type { Attributes } from './attributes.ts';
import { authorize } from './authorize.ts';
import { type Fields, objectAt, textAt, textsAt } from './read-policy.ts';
import { answered, type Reviewed } from './review.ts';
import { selectorErrors } from './review-selectors.ts';
import type { RuleSource } from './rule-source.ts';
import type { User } from './user.ts';

/** Whether the one who asks may do it. */
export function selfSubjectAccessReview(review: JsonObject, user: User, source: RuleSource): Reviewed {
  return accessReview(review, { kind: 'self' }, user, source);
}

/** Whether the user that the review names may do it. */
export function subjectAccessReview(review: JsonObject, source: RuleSource): Reviewed {
  return accessReview(review, { kind: 'subject' }, subjectOf(review), source);
}

/** The same within one namespace, which is that of the request. */
export function localSubjectAccessReview(
  review: JsonObject,
  namespace: string,
  source: RuleSource,
): Reviewed {
  return accessReview(review, { kind: 'local', namespace }, subjectOf(review), source);
}

function accessReview(review: JsonObject, scope: ReviewScope, user: User, source: RuleSource): Reviewed {
  const problems = accessReviewProblems(review, scope);
  if (problems.length > 0) return { kind: 'invalid', problems };
  const spec = objectAt(review, 'spec');
  const { allowed, reason } = authorize(attributesOf(spec, user), source);
  const evaluationError = selectorErrors(objectAt(spec, 'resourceAttributes')).join('; ');
  const status = {
    allowed,
    ...(reason === '' ? {} : { reason }),
    ...(evaluationError === '' ? {} : { evaluationError }),
  };
  return answered(review, status, scope.kind === 'local' ? scope.namespace : undefined);
}

function attributesOf(spec: Fields, user: User): Attributes {
  if (!isObject(own(spec, 'resourceAttributes'))) {
    const asked = objectAt(spec, 'nonResourceAttributes');
    return { kind: 'path', user, verb: textAt(asked, 'verb'), path: textAt(asked, 'path') };
  }
  const asked = objectAt(spec, 'resourceAttributes');
  const version = textAt(asked, 'version');
  return {
    kind: 'resource',
    user,
    verb: textAt(asked, 'verb'),
    group: textAt(asked, 'group'),
    version: version === '' ? '*' : version,
    resource: textAt(asked, 'resource'),
    subresource: textAt(asked, 'subresource'),
    namespace: textAt(asked, 'namespace'),
    name: textAt(asked, 'name'),
  };
}

/** Nothing is added to the groups: whoever asks says all of them. */
function subjectOf(review: JsonObject): User {
  const spec = objectAt(review, 'spec');
  const extra = objectAt(spec, 'extra');
  return {
    name: textAt(spec, 'user'),
    uid: textAt(spec, 'uid'),
    groups: textsAt(spec, 'groups'),
    extra: Object.fromEntries(Object.keys(extra).map((key) => [key, textsAt(extra, key)])),
  };
}
