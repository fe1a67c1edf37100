/**
 * The spec and status of access reviews.
 */
import { boolean, named, required, string, struct } from '../../schema/index.ts';
import { always, items, strings } from '../fields.ts';
import { extraOf } from './user-info.ts';

export const AUTHORIZATION_GROUP = 'authorization.k8s.io';

const requirement = (of: 'Field' | 'Label', description: string, key: string) =>
  struct(`meta.${of}SelectorRequirement`, description, {
    key: required(string(key)),
    operator: required(named(`meta.${of}SelectorOperator`, string('In, NotIn, Exists or DoesNotExist.'))),
    values: strings('The values for In and NotIn; none for the others.', 'A value.'),
  });

const rawSelector = string('The selector as a string, in place of requirements.');

const resourceAttributes = struct('authorization.ResourceAttributes', 'A request for a resource.', {
  verb: string('The verb: get, list, watch, create, update, patch, delete; * means all.'),
  group: string('The group of the resource; * means all.'),
  version: string('The version of the resource; * means all.'),
  resource: string('The resource, in the plural; * means all.'),
  subresource: string('The subresource; empty means none.'),
  namespace: string('The namespace; empty means all, or none for kinds without one.'),
  name: string('The name of the object; empty means all.'),
  fieldSelector: struct('authorization.FieldSelectorAttributes', 'The field selector of the request.', {
    rawSelector,
    requirements: items(
      'Requirements on fields.',
      requirement('Field', 'A requirement on a field.', 'The field.'),
    ),
  }),
  labelSelector: struct('authorization.LabelSelectorAttributes', 'The label selector of the request.', {
    rawSelector,
    requirements: items(
      'Requirements on labels.',
      requirement('Label', 'A requirement on a label.', 'The label.'),
    ),
  }),
});

/** The access to check. One of the two is set. */
export const accessFields = {
  resourceAttributes,
  nonResourceAttributes: struct(
    'authorization.NonResourceAttributes',
    'A request for a path outside the API.',
    {
      path: string('The path.'),
      verb: string('The method, in small letters.'),
    },
  ),
};

/** The access to check, and the user. */
export const subjectAccessSpec = struct('authorization.SubjectAccessReviewSpec', 'The question.', {
  ...accessFields,
  user: string('The name of the user.'),
  groups: strings('The groups of the user.', 'A group.'),
  uid: string('The identity of the user.'),
  extra: extraOf('authorization.ExtraValue', 'Additional attributes of the user.'),
});

export const accessStatus = struct('authorization.SubjectAccessReviewStatus', 'The answer.', {
  allowed: always(boolean('Whether it is allowed.')),
  denied: boolean('Whether it is denied, regardless of other authorizers.'),
  reason: string('Why.'),
  evaluationError: string('The error during evaluation; the result may still be valid.'),
});
