/** SelfSubjectRulesReview, for `kubectl auth can-i --list`. */

import type { JsonObject } from '../../base/json.ts';
import { stringAt } from '../../base/json-fields.ts';
import type { PolicyRule } from '../../kubernetes/types/index.ts';
import type { Reviewed } from './review.ts';
import { joinReasons, missingRoleText, type RuleSource } from './rule-source.ts';
import type { User } from './user.ts';
import { userRules } from './user-rules.ts';

/** The response has no spec. */
export function selfSubjectRulesReview(review: JsonObject, user: User, source: RuleSource): Reviewed {
  const namespace = stringAt(review, 'spec', 'namespace');
  if (namespace === '') return { kind: 'badRequest', message: 'no namespace on request' };
  const { rules, missing } = userRules(source, user, namespace);
  const lost = missing.map(missingRoleText);
  const status: JsonObject = {
    resourceRules: rules.filter(({ resources = [] }) => resources.length > 0).map(resourceRule),
    nonResourceRules: rules.filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0).map(pathRule),
    incomplete: false,
    ...(lost.length === 0 ? {} : { evaluationError: joinReasons(lost) }),
  };
  return {
    kind: 'answer',
    object: {
      kind: 'SelfSubjectRulesReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: { creationTimestamp: null },
      spec: {},
      status,
    },
  };
}

function resourceRule({ verbs, apiGroups, resources = [], resourceNames = [] }: PolicyRule): JsonObject {
  return {
    verbs,
    ...(apiGroups === undefined || apiGroups.length === 0 ? {} : { apiGroups }),
    resources,
    ...(resourceNames.length === 0 ? {} : { resourceNames }),
  };
}

function pathRule({ verbs, nonResourceURLs = [] }: PolicyRule): JsonObject {
  return { verbs, nonResourceURLs };
}
