/** SelfSubjectAccessReview, SubjectAccessReview and LocalSubjectAccessReview. */

import type { JsonObject } from '../../base/json.ts';
import { type Fields, objectAt, stringAt, stringsAt } from '../../base/json-fields.ts';
import { accessReviewProblems, type ReviewScope } from './access-review-problems.ts';
import type { Attributes } from './attributes.ts';
import { authorize } from './authorize.ts';
import { answered, type Reviewed } from './review.ts';
import { selectorErrors } from './review-selectors.ts';
import type { RuleSource } from './rule-source.ts';
import type { User } from './user.ts';

/** Checks the requesting user. */
export function selfSubjectAccessReview(review: JsonObject, user: User, source: RuleSource): Reviewed {
  return accessReview(review, { kind: 'self' }, user, source);
}

/** Checks the user in the review. */
export function subjectAccessReview(review: JsonObject, source: RuleSource): Reviewed {
  return accessReview(review, { kind: 'subject' }, subjectOf(review), source);
}

/** The same within the namespace of the request. */
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
  const spec = objectAt(review, 'spec') ?? {};
  const { allowed, reason } = authorize(attributesOf(spec, user), source);
  const evaluationError = selectorErrors(objectAt(spec, 'resourceAttributes') ?? {}).join('; ');
  const status = {
    allowed,
    ...(reason === '' ? {} : { reason }),
    ...(evaluationError === '' ? {} : { evaluationError }),
  };
  return answered(review, status, scope.kind === 'local' ? scope.namespace : undefined);
}

function attributesOf(spec: Fields, user: User): Attributes {
  const asked = objectAt(spec, 'resourceAttributes');
  if (asked === undefined) {
    const path = objectAt(spec, 'nonResourceAttributes');
    return { kind: 'path', user, verb: stringAt(path, 'verb'), path: stringAt(path, 'path') };
  }
  const version = stringAt(asked, 'version');
  return {
    kind: 'resource',
    user,
    verb: stringAt(asked, 'verb'),
    group: stringAt(asked, 'group'),
    version: version === '' ? '*' : version,
    resource: stringAt(asked, 'resource'),
    subresource: stringAt(asked, 'subresource'),
    namespace: stringAt(asked, 'namespace'),
    name: stringAt(asked, 'name'),
  };
}

/** No groups are added: the review lists all of them. */
function subjectOf(review: JsonObject): User {
  const spec = objectAt(review, 'spec');
  const extra = objectAt(spec, 'extra') ?? {};
  return {
    name: stringAt(spec, 'user'),
    uid: stringAt(spec, 'uid'),
    groups: stringsAt(spec, 'groups'),
    extra: Object.fromEntries(Object.keys(extra).map((key) => [key, stringsAt(extra, key)])),
  };
}
