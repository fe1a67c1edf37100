/**
 * All controllers of this half: workloads, budgets, garbage, namespaces, roles.
 */
import type { Controller } from '../kube/index.ts';
import { createClusterRoleController } from './cluster-role-controller.ts';
import { createDaemonSetController } from './daemon-set-controller.ts';
import { createDeploymentController } from './deployment-controller.ts';
import { createDisruptionBudgetController } from './disruption-budget-controller.ts';
import { createGarbageCollector } from './garbage-collector.ts';
import { Inventory } from './inventory.ts';
import { createJobController, createJobOrphanController } from './job-controller.ts';
import { createNamespaceController } from './namespace-controller.ts';
import { createNamespaceGiftController } from './namespace-gifts.ts';
import { createReplicaSetController } from './replica-set-controller.ts';
import type { WorkloadContext } from './workload-context.ts';

export function createWorkloadControllers(context: WorkloadContext): readonly Controller[] {
  const inventory = new Inventory(context.caches);
  return [
    createDeploymentController(context),
    createReplicaSetController(context),
    createDaemonSetController(context),
    createJobController(context),
    createJobOrphanController(context),
    createDisruptionBudgetController(context),
    createGarbageCollector(context, inventory),
    createNamespaceController(context, inventory),
    createNamespaceGiftController(context),
    createClusterRoleController(context),
  ];
}
