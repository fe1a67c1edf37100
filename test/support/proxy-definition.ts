/**
 * The CRD of OpenShift's Proxy, with an open schema.
 */
import type { CustomResourceDefinition } from '../../src/kubernetes/types/index.ts';

const openObject = { type: 'object' as const, 'x-kubernetes-preserve-unknown-fields': true };

export const proxyDefinition: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'proxies.config.openshift.io' },
  spec: {
    group: 'config.openshift.io',
    scope: 'Cluster',
    names: { plural: 'proxies', kind: 'Proxy', singular: 'proxy' },
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
