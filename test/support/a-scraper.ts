/**
 * A scraper of metrics: a service account, which may read none until it is permitted.
 */
import { stringAt } from '../../src/base/json-fields.ts';
import type { Kube } from '../../src/kubernetes/client/index.ts';
import { clusterRoleBinding, serviceAccount } from '../../src/kubernetes/types/index.ts';

export type Scraper = {
  /** The header of its requests. */
  readonly authorization: string;
  /** Binds the role of the manifests to its account. */
  readonly permit: () => Promise<void>;
};

export async function createScraper(admin: Kube, namespace: string): Promise<Scraper> {
  const metadata = { name: 'scraper', namespace };
  await admin.create(serviceAccount, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata, spec: {} };
  const answer = await admin.create(serviceAccount, request, { subresource: 'token' });
  return {
    authorization: `Bearer ${stringAt(answer, 'status', 'token')}`,
    async permit() {
      const apiGroup = 'rbac.authorization.k8s.io';
      await admin.create(clusterRoleBinding, {
        apiVersion: `${apiGroup}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name: 'scraper' },
        roleRef: { apiGroup, kind: 'ClusterRole', name: 'machine-config-metrics-reader' },
        subjects: [{ kind: 'ServiceAccount', ...metadata }],
      });
    },
  };
}
