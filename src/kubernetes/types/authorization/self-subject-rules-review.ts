/**
 * SelfSubjectRulesReview: lists the access of the user in a namespace (`kubectl auth can-i --list`).
 */
import { boolean, required, string, struct, value } from '../../schema/index.ts';
import { defineReview } from '../builtin.ts';
import { always, items, strings } from '../fields.ts';
import { AUTHORIZATION_GROUP } from './access-attributes.ts';

const verbs = required(strings('The verbs; * means all.', 'A verb.'));

const status = struct('authorization.SubjectRulesReviewStatus', 'The answer.', {
  resourceRules: required(
    items(
      'The allowed requests to resources.',
      struct('authorization.ResourceRule', 'A rule.', {
        verbs,
        apiGroups: strings('In which groups; * means all.', 'A group.'),
        resources: strings('With which resources; * means all.', 'A resource.'),
        resourceNames: strings('With which objects; with all unless given.', 'A name.'),
      }),
    ),
  ),
  nonResourceRules: required(
    items(
      'The allowed requests to non-resource paths.',
      struct('authorization.NonResourceRule', 'A rule.', {
        verbs,
        nonResourceURLs: strings('With which paths; * means all.', 'A path.'),
      }),
    ),
  ),
  incomplete: always(boolean('Whether there may be more, because an authorizer cannot list its rules.')),
  evaluationError: string('The error, if there is one.'),
});

export const selfSubjectRulesReview = defineReview({
  group: AUTHORIZATION_GROUP,
  kind: 'SelfSubjectRulesReview',
  plural: 'selfsubjectrulesreviews',
  scope: 'Cluster',
  description: 'Asks all that I may do in a namespace.',
  fields: {
    spec: always(
      struct('authorization.SelfSubjectRulesReviewSpec', 'The question.', {
        namespace: string('The namespace.'),
      }),
    ),
    status: value(status),
  },
});
