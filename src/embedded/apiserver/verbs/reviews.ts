/** Kinds that are only asked: who am I, may I, whose token is this. Nothing of them is kept. */

import type { JsonObject } from '../../../base/json.ts';
import { apiVersionOf } from '../../../kubernetes/meta/index.ts';
import { managerName, updateManagedFields } from '../../patch/index.ts';
import {
  type Authentication,
  localSubjectAccessReview,
  type Reviewed,
  selfSubjectAccessReview,
  selfSubjectReview,
  selfSubjectRulesReview,
  subjectAccessReview,
  tokenQuestion,
  tokenReview,
} from '../../rbac/index.ts';
import type { Resource } from '../../resources/index.ts';
import { badRequest, invalid } from '../../status/index.ts';
import type { Insight } from '../auth-context.ts';
import { type Call, nowText, type World } from '../call.ts';
import type { Response } from '../http/http.ts';
import { answerJson } from '../response.ts';
import { emptyObject, withNamespace } from './before-create.ts';
import { decodeSent, unreadableBody } from './decode-object.ts';
import { writeOptions } from './query-options.ts';
import { readBody } from './read-body.ts';

type Review = (asked: JsonObject, call: Call, insight: Insight & { readonly world: World }) => Reviewed;

const REVIEWS: { readonly [plural: string]: Review } = {
  selfsubjectreviews: (_, { user }, { world }) => selfSubjectReview(user, nowText(world)),
  selfsubjectaccessreviews: (asked, { user }, { rules }) => selfSubjectAccessReview(asked, user, rules),
  subjectaccessreviews: (asked, _, { rules }) => subjectAccessReview(asked, rules),
  localsubjectaccessreviews: (asked, { info }, { rules }) =>
    localSubjectAccessReview(asked, info.namespace, rules),
  selfsubjectrulesreviews: (asked, { user }, { rules }) => selfSubjectRulesReview(asked, user, rules),
  tokenreviews: (asked, _, insight) => reviewToken(asked, insight),
};

const GROUPS: ReadonlySet<string> = new Set(['authentication.k8s.io', 'authorization.k8s.io']);

/** How a review is answered; undefined for resources that are none. */
export function reviewOf(
  resource: Resource,
): ((world: World, call: Call, insight: Insight) => Response) | undefined {
  const review = GROUPS.has(resource.group) ? REVIEWS[resource.plural] : undefined;
  if (review === undefined) return undefined;
  return (world, call, insight) => {
    const asked = readReview(world, call);
    const reviewed = review(asked, call, { ...insight, world });
    const { request, form, warnings } = call;
    switch (reviewed.kind) {
      case 'answer':
        return answerJson(201, reviewed.object, { request, form, warnings });
      case 'badRequest':
        throw badRequest(reviewed.message);
      case 'invalid':
        throw invalid({ group: resource.group, kind: '' }, '', reviewed.problems);
    }
  };
}

function readReview(world: World, call: Call): JsonObject {
  const { resource, request, query, warnings, info } = call;
  const options = writeOptions(query, 'CreateOptions');
  const refuse = unreadableBody(resource);
  const sent = decodeSent(resource, readBody(request, resource), { ...options, refuse, warnings });
  const owned = updateManagedFields({
    schema: resource.schema,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    manager: managerName(options.fieldManager, request.headers['user-agent'] ?? ''),
    now: nowText(world),
    // What is filled in is the server's answer, and nobody's wish.
    before: resource.strategy.setDefaults(emptyObject(resource) ?? {}),
    after: withNamespace(resource, sent, info.namespace),
  });
  return owned.value;
}

function reviewToken(asked: JsonObject, { authenticator }: Insight): Reviewed {
  const question = tokenQuestion(asked);
  if (question.kind === 'badRequest') return question;
  const { token, audiences } = question;
  const authentication: Authentication = authenticator.judge(token, audiences);
  return tokenReview(asked, authentication);
}
