/**
 * ClusterOperator: the status of an operator of OpenShift. The kind is OpenShift's: we report to it where it exists
 * and generate no CRD for it.
 */

import { defineKind, legacyConditions, type ObjectOfKind } from '../kubernetes/meta/index.ts';
import { anyObject, type Infer, list, openObject, required, string } from '../kubernetes/schema/index.ts';

const status = openObject('Observed state of the operator.', {
  conditions: legacyConditions('Available, Progressing, Degraded, Upgradeable and others.'),
  versions: list(
    'Versions of the operands.',
    openObject('One version.', {
      name: required(string('Name of the operand.')),
      version: required(string('Version of the operand.')),
    }),
  ),
  relatedObjects: list(
    'Objects to inspect when the operator is degraded.',
    openObject('One object, or all of a resource.', {
      group: required(string('API group.')),
      resource: required(string('Resource, in the plural.')),
      name: required(string('Name; empty for all.')),
      namespace: string('Namespace.'),
    }),
  ),
  extension: anyObject('Additional status of this operator.'),
});
export type ClusterOperatorStatus = Infer<typeof status>;

export const clusterOperator = defineKind({
  group: 'config.openshift.io',
  version: 'v1',
  kind: 'ClusterOperator',
  plural: 'clusteroperators',
  shortNames: ['co'],
  description: 'State of a cluster operator.',
  spec: openObject('Empty.', {}),
  status,
});
export type ClusterOperator = ObjectOfKind<typeof clusterOperator>;
