/** ClusterRoles that are made of others, on a server in memory. */
import { afterEach, describe, expect, it } from 'vitest';
import { startWorkloadCluster, type WorkloadCluster } from '../../../test/support/workload-cluster.ts';
import { type ClusterRole, clusterRole } from '../../kubernetes/types/index.ts';

let cluster: WorkloadCluster | undefined;

afterEach(async () => {
  await cluster?.stop();
  cluster = undefined;
});

function aRole(
  name: string,
  given: Partial<ClusterRole> & { readonly labels?: { readonly [key: string]: string } },
) {
  const { labels = {}, ...rest } = given;
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, labels },
    ...rest,
  };
}

const rule = (resource: string) => ({ verbs: ['get'], apiGroups: ['example.com'], resources: [resource] });
const gathers = (label: string) => ({ clusterRoleSelectors: [{ matchLabels: { [label]: 'yes' } }] });

describe('the ClusterRole aggregation controller', () => {
  it('follows aggregated roles, also indirectly', async () => {
    cluster = await startWorkloadCluster();
    const { kube, ask, until, cacheOf } = cluster;
    const roles = cacheOf(clusterRole);
    const resources = (name: string) =>
      (roles.get({ name })?.rules ?? []).flatMap((one) => one.resources ?? []).join();
    await ask(kube.create(clusterRole, aRole('top', { aggregationRule: gathers('to-top') })));
    await ask(
      kube.create(
        clusterRole,
        aRole('middle', { aggregationRule: gathers('to-middle'), labels: { 'to-top': 'yes' } }),
      ),
    );
    await ask(kube.create(clusterRole, aRole('b', { rules: [rule('b')], labels: { 'to-middle': 'yes' } })));
    await ask(kube.create(clusterRole, aRole('a', { rules: [rule('a')], labels: { 'to-middle': 'yes' } })));
    await until(() => resources('top') === 'a,b');
    expect(resources('middle')).toBe('a,b');
    await ask(kube.delete(clusterRole, { name: 'a' }));
    await until(() => resources('top') === 'b');
  });
});
