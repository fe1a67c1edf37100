/**
 * Stand-ins for what a real cluster has beside its API server: small and honest ones, for a laptop, for CI and for
 * simulation. They are never part of production, where the cluster brings its own, and share no code with `controllers`.
 *
 * Like everything else they meet the cluster through its API alone. Each controller is a file that observes through
 * caches and carries out what a pure function beside it decides (`deployment-controller.ts`, `decide-deployment.ts`);
 * decisions are lists of `Write`s, so that tests compare them as data.
 *
 * Workloads: Deployments, ReplicaSets, DaemonSets and Jobs make pods; PodDisruptionBudgets are judged; what nobody owns
 * is collected; namespaces that end are emptied, and new ones get their account and certificate; ClusterRoles are gathered.
 *
 * Nodes: pods without one are scheduled; simulated kubelets register theirs, run its pods and renew its lease; nodes that
 * fall silent are tainted and their pods evicted.
 *
 * What is right is what kube-controller-manager does where people can see it. What is left out is said in the file that
 * leaves it out, and a workload that asks for it is told so.
 *
 * Not here: anything about machine configs, and the API server itself (`apiserver`).
 *
 * Start with `workload-controllers.ts`, then `replica-set-controller.ts`; for nodes with `node-controllers.ts`, then
 * `pod-step.ts` and `choose.ts`.
 */
export { bootDigits, isOfBoot } from './kubelet/containers.ts';
export { type BootInfo, type MachineState, SimulatedMachines } from './kubelet/machine-state.ts';
export type { SimulatedNode } from './kubelet/node-status.ts';
export { createNodeControllers, NODE_EVENT_NAMESPACE } from './node-controllers.ts';
export { type NodeSettings, nodeSettings } from './node-settings.ts';
export { createWorkloadControllers } from './workload-controllers.ts';
export { type WorkloadSettings, workloadSettings } from './workload-settings.ts';
