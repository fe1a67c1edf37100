/**
 * ClusterOperator: OpenShift's way of asking an operator how it is. It is OpenShift's own kind, which we report in where it
 * exists and never define: no CRD is made of it.
 */

import { defineKind, legacyConditions, type ObjectOfKind } from '../kubernetes/meta/index.ts';
import { anyObject, type Infer, list, openObject, required, string } from '../kubernetes/schema/index.ts';

const status = openObject('What the operator says of itself.', {
  conditions: legacyConditions('Available, Progressing, Degraded, Upgradeable and others.'),
  versions: list(
    'What is deployed.',
    openObject('One version.', { name: required(string('Of what.')), version: required(string('Which.')) }),
  ),
  relatedObjects: list(
    'What to look at when something is wrong.',
    openObject('One object, or all of a resource.', {
      group: required(string('Its group.')),
      resource: required(string('Its resource, in the plural.')),
      name: required(string('Its name, empty for all.')),
      namespace: string('Its namespace.'),
    }),
  ),
  extension: anyObject('What only this operator says.'),
});
export type ClusterOperatorStatus = Infer<typeof status>;

export const clusterOperator = defineKind({
  group: 'config.openshift.io',
  version: 'v1',
  kind: 'ClusterOperator',
  plural: 'clusteroperators',
  shortNames: ['co'],
  description: 'How an operator of the cluster is.',
  spec: openObject('Nothing so far.', {}),
  status,
});
export type ClusterOperator = ObjectOfKind<typeof clusterOperator>;
