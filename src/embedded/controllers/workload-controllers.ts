/**
 * The controllers of kube-controller-manager: workloads, budgets, garbage collection, namespaces, roles.
 */
import type { Controller } from '../../kubernetes/client/index.ts';
import { createClusterRoleController } from './cluster-role-controller.ts';
import { createGarbageCollector } from './garbage-collector.ts';
import { Inventory } from './inventory.ts';
import { createNamespaceController } from './namespace-controller.ts';
import { createNamespaceDefaultsController } from './namespace-defaults.ts';
import type { WorkloadContext } from './workload-context.ts';
import { createDaemonSetController } from './workloads/daemon-set-controller.ts';
import { createDeploymentController } from './workloads/deployment-controller.ts';
import { createDisruptionBudgetController } from './workloads/disruption-budget-controller.ts';
import { createJobController, createJobOrphanController } from './workloads/job-controller.ts';
import { createReplicaSetController } from './workloads/replica-set-controller.ts';

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
    createNamespaceDefaultsController(context),
    createClusterRoleController(context),
  ];
}

/** Jobs, and the deletion of what has lost its owner: for clusters whose other workloads are modelled. */
export function createJobControllers(context: WorkloadContext): readonly Controller[] {
  return [
    createJobController(context),
    createJobOrphanController(context),
    createGarbageCollector(context, new Inventory(context.caches)),
  ];
}
