/** Aggregates the rules of ClusterRoles with an aggregationRule. */

import { jsonEqual } from '../../base/json.ts';
import { type Controller, done, type Next } from '../../kubernetes/client/index.ts';
import { clusterRole } from '../../kubernetes/types/index.ts';
import { aggregatedRules } from '../rbac/index.ts';
import type { WorkloadContext } from './workload-context.ts';

const MANAGER = 'clusterrole-aggregation-controller';

export function createClusterRoleController({ kube, caches }: WorkloadContext): Controller {
  const roles = caches.of(clusterRole);

  async function reconcile(name: string): Promise<Next> {
    const role = roles.get({ name });
    // A role that aggregates an aggregated one follows after that has changed.
    const rules = role === undefined ? undefined : aggregatedRules(role, [...roles.all()]);
    if (rules === undefined || jsonEqual(rules, role?.rules ?? [])) return done;
    const aggregated = { metadata: { name }, rules };
    await kube.apply(clusterRole, aggregated, { fieldManager: MANAGER });
    return done;
  }

  return {
    name: 'clusterrole-aggregation',
    workers: 1,
    caches: [roles],
    watch: (enqueue) =>
      roles.onChange(() => {
        for (const { metadata, aggregationRule } of roles.all()) {
          if (aggregationRule !== undefined) enqueue(metadata.name);
        }
      }),
    reconcile,
  };
}
