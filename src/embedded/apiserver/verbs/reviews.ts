/** Reviews: SelfSubjectReview, TokenReview, SubjectAccessReview and so on. They are not stored. */

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
import type { AuthContext } from '../auth-context.ts';
import type { Call } from '../call.ts';
import type { Response } from '../http/http.ts';
import { jsonResponse } from '../response.ts';
import { nowText, type ServerContext } from '../server-context.ts';
import { emptyObject, withNamespace } from './before-create.ts';
import { decodeBody, unreadableBody } from './decode-body.ts';
import { writeOptions } from './query-options.ts';
import { readBody } from './read-body.ts';

type Review = (
  asked: JsonObject,
  call: Call,
  auth: AuthContext & { readonly server: ServerContext },
) => Reviewed;

const REVIEWS: { readonly [plural: string]: Review } = {
  selfsubjectreviews: (_, { user }, { server }) => selfSubjectReview(user, nowText(server)),
  selfsubjectaccessreviews: (asked, { user }, { rules }) => selfSubjectAccessReview(asked, user, rules),
  subjectaccessreviews: (asked, _, { rules }) => subjectAccessReview(asked, rules),
  localsubjectaccessreviews: (asked, { info }, { rules }) =>
    localSubjectAccessReview(asked, info.namespace, rules),
  selfsubjectrulesreviews: (asked, { user }, { rules }) => selfSubjectRulesReview(asked, user, rules),
  tokenreviews: (asked, _, auth) => reviewToken(asked, auth),
};

const GROUPS: ReadonlySet<string> = new Set(['authentication.k8s.io', 'authorization.k8s.io']);

/** Undefined for other resources. */
export function reviewOf(
  resource: Resource,
): ((server: ServerContext, call: Call, auth: AuthContext) => Response) | undefined {
  const review = GROUPS.has(resource.group) ? REVIEWS[resource.plural] : undefined;
  if (review === undefined) return undefined;
  return (server, call, auth) => {
    const asked = readReview(server, call);
    const reviewed = review(asked, call, { ...auth, server });
    const { request, format, warnings } = call;
    switch (reviewed.kind) {
      case 'answer':
        return jsonResponse(201, reviewed.object, { request, format, warnings });
      case 'badRequest':
        throw badRequest(reviewed.message);
      case 'invalid':
        throw invalid({ group: resource.group, kind: '' }, '', reviewed.problems);
    }
  };
}

function readReview(server: ServerContext, call: Call): JsonObject {
  const { resource, request, query, warnings, info } = call;
  const options = writeOptions(query, 'CreateOptions');
  const toError = unreadableBody(resource);
  const sent = decodeBody(resource, readBody(request, resource), { ...options, toError, warnings });
  const owned = updateManagedFields({
    schema: resource.schema,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    manager: managerName(options.fieldManager, request.headers['user-agent'] ?? ''),
    now: nowText(server),
    // Defaults are not owned by the client.
    before: resource.strategy.setDefaults(emptyObject(resource) ?? {}),
    after: withNamespace(resource, sent, info.namespace),
  });
  return owned.value;
}

function reviewToken(asked: JsonObject, { authenticator }: AuthContext): Reviewed {
  const question = tokenQuestion(asked);
  if (question.kind === 'badRequest') return question;
  const { token, audiences } = question;
  const authentication: Authentication = authenticator.authenticateToken(token, audiences);
  return tokenReview(asked, authentication);
}
