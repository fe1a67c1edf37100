/**
 * The embedded API server has no CertificateSigningRequests. A CRD stands for the kind in tests of the controller: its status is
 * what `/approval` writes. The real server is in test/kubernetes.
 */
import type { Transport } from '../../src/kubernetes/client/index.ts';
import type { CustomResourceDefinition } from '../../src/kubernetes/types/index.ts';

const openObject = { type: 'object' as const, 'x-kubernetes-preserve-unknown-fields': true };
const spec = { ...openObject, properties: { signerName: { type: 'string' as const } } };

export const signingRequestDefinition: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'certificatesigningrequests.certificates.k8s.io',
    annotations: { 'api-approved.kubernetes.io': 'unapproved, for tests' },
  },
  spec: {
    group: 'certificates.k8s.io',
    scope: 'Cluster',
    names: {
      plural: 'certificatesigningrequests',
      kind: 'CertificateSigningRequest',
      singular: 'certificatesigningrequest',
    },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
        selectableFields: [{ jsonPath: '.spec.signerName' }],
        schema: { openAPIV3Schema: { type: 'object', properties: { spec, status: openObject } } },
      },
    ],
  },
};

export function approvalAsStatus({ send }: Transport): Transport {
  return {
    send: (request) =>
      send({
        ...request,
        path: request.path.replace(/^(.*\/certificatesigningrequests\/[^/?]+)\/approval/, '$1/status'),
      }),
  };
}
