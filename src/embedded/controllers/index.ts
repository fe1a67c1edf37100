/**
 * The controllers of the embedded cluster: kube-controller-manager, kube-scheduler and simulated kubelets, as far as
 * Millwright needs them. Never part of production, and without shared code with `src/controllers`.
 *
 * They use only the API. Each controller is a file that observes through caches and carries out the decision of a pure
 * function beside it (`workloads/deployment-controller.ts`, `workloads/decide-deployment.ts`); decisions are lists of `Write`s, which tests
 * compare as data.
 *
 *     workloads/                  Deployments, ReplicaSets, DaemonSets, Jobs, PodDisruptionBudgets
 *     garbage-collector.ts        owner references and deletion propagation
 *     namespace-*.ts              deletion of namespaces, their default ServiceAccount and CA bundle
 *     cluster-role-controller.ts  aggregated ClusterRoles
 *     scheduler/                  filter, score, bind; the scheduler cache and the queue of unschedulable pods
 *     kubelet/                    simulated kubelets: registration, status, leases, pod lifecycle
 *     node-lifecycle/             node health, taints, taint-based eviction, pod garbage collection
 *
 * Observable behaviour follows the Kubernetes components. Unsupported features are documented in their file, and workloads
 * that use them fail with a message.
 *
 * Not here: anything about machine configs, and the API server (`embedded/apiserver`).
 *
 * Start with `workload-controllers.ts`, then `workloads/replica-set-controller.ts`; for nodes with `node-controllers.ts`, then
 * `kubelet/pod-step.ts` and `scheduler/schedule-pod.ts`.
 */
export { bootDigits, isOfBoot } from './kubelet/containers.ts';
export { podEndMs } from './kubelet/durations.ts';
export type { BootInfo, MachineState } from './kubelet/machine-state.ts';
export type { SimulatedNode } from './kubelet/node-status.ts';
export type { ContainerOutcome, PodExecution } from './kubelet/pod-step.ts';
export { SimulatedNodes } from './kubelet/simulated-nodes.ts';
export type { PodExecutions } from './node-context.ts';
export { createNodeControllers, NODE_EVENT_NAMESPACE } from './node-controllers.ts';
export { type NodeSettings, nodeSettings } from './node-settings.ts';
export { bindPod } from './scheduler/bind.ts';
export { isTolerated } from './scheduler/tolerations.ts';
export { createJobControllers, createWorkloadControllers } from './workload-controllers.ts';
export { type WorkloadSettings, workloadSettings } from './workload-settings.ts';
export { createDisruptionBudgetController } from './workloads/disruption-budget-controller.ts';
