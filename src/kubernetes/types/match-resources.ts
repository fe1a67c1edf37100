/**
 * The requests that an admission policy applies to.
 */
import { labelSelector } from '../meta/index.ts';
import { list, named, oneOf, pointer, string, struct } from '../schema/index.ts';
import { items, strings } from './fields.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'] as const;

const resourceRule = struct(
  'admissionregistration.NamedRuleWithOperations',
  'Requests of one sort.',
  {
    operations: list(
      'The operations; * means all.',
      named('admissionregistration.OperationType', oneOf('An operation.', operations)),
      {
        list: 'atomic',
      },
    ),
    apiGroups: strings('In which groups; * means all.', 'A group.'),
    apiVersions: strings('In which versions; * means all.', 'A version.'),
    resources: strings('With which resources, such as pods or pods/*; * means all.', 'A resource.'),
    resourceNames: strings('With which objects; with all unless given.', 'A name.'),
    scope: pointer(
      named('admissionregistration.ScopeType', string('Cluster, Namespaced or *, which means both.')),
    ),
  },
  { atomic: true },
);

export const matchResources = (description: string) =>
  struct(
    'admissionregistration.MatchResources',
    description,
    {
      resourceRules: items('Requests that count; one rule suffices.', resourceRule),
      excludeResourceRules: items('Requests that are excluded, although a rule matches.', resourceRule),
      namespaceSelector: labelSelector('Labels of the namespace.'),
      objectSelector: labelSelector('Labels of the object, before or after the change.'),
      matchPolicy: pointer(
        named(
          'admissionregistration.MatchPolicyType',
          oneOf('Whether a rule also counts for other versions of its resource.', ['Equivalent', 'Exact']),
        ),
      ),
    },
    { atomic: true },
  );
