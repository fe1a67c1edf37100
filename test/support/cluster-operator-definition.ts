/**
 * The CRD of OpenShift's ClusterOperator, with the part of the schema that a report needs.
 */
import type { CustomResourceDefinition } from '../../src/kubernetes/types/index.ts';

const openObject = { type: 'object' as const, 'x-kubernetes-preserve-unknown-fields': true };

export const clusterOperatorDefinition: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'clusteroperators.config.openshift.io' },
  spec: {
    group: 'config.openshift.io',
    scope: 'Cluster',
    names: { plural: 'clusteroperators', kind: 'ClusterOperator', singular: 'clusteroperator' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: openObject, status: openObject } } },
      },
    ],
  },
};
