/**
 * Which requests an admission policy looks at.
 */
import { labelSelector } from '../meta/index.ts';
import { list, object, oneOf, string } from '../schema/index.ts';
import { items, strings } from './fields.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'] as const;

const resourceRule = object(
  'Requests of one sort.',
  {
    operations: list('What is done; * means everything.', oneOf('An operation.', operations), {
      list: 'atomic',
    }),
    apiGroups: strings('In which groups; * means all.', 'A group.'),
    apiVersions: strings('In which versions; * means all.', 'A version.'),
    resources: strings('With which resources, such as pods or pods/*; * means all.', 'A resource.'),
    resourceNames: strings('With which objects; with all unless given.', 'A name.'),
    scope: string('Cluster, Namespaced or *, which means both.'),
  },
  { atomic: true },
);

export const matchResources = (description: string) =>
  object(
    description,
    {
      resourceRules: items('Requests that count; one rule suffices.', resourceRule),
      excludeResourceRules: items('Requests that do not, although a rule says so.', resourceRule),
      namespaceSelector: labelSelector('Labels of the namespace.'),
      objectSelector: labelSelector('Labels of the object, before or after the change.'),
      matchPolicy: oneOf('Whether a rule also counts for other versions of its resource.', [
        'Equivalent',
        'Exact',
      ]),
    },
    { atomic: true },
  );
