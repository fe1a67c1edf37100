/**
 * Column descriptions of workloads, as in kube-apiserver.
 */
import type { ColumnDescriptions } from './printer.ts';

export const DEPLOYMENT: ColumnDescriptions = {
  Ready: ['Number of the pod with ready state'],
  'Up-to-date': [
    'Total number of non-terminating pods targeted by this deployment that have the desired template',
    'spec.',
  ],
  Available: [
    'Total number of available non-terminating pods (ready for at least minReadySeconds) targeted by',
    'this deployment.',
  ],
  Selector: [
    'Label selector for pods. Existing ReplicaSets whose pods are selected by this will be the ones',
    'affected by this deployment.',
  ],
};

export const REPLICA_SET: ColumnDescriptions = {
  Desired: [
    'Replicas is the number of desired pods. This is a pointer to distinguish between explicit zero and',
    'unspecified. Defaults to 1. More info:',
    'https://kubernetes.io/docs/concepts/workloads/controllers/replicaset',
  ],
  Current: [
    'Replicas is the most recently observed number of non-terminating pods. More info:',
    'https://kubernetes.io/docs/concepts/workloads/controllers/replicaset',
  ],
  Ready: ['The number of non-terminating pods targeted by this ReplicaSet with a Ready Condition.'],
  Selector: [
    'Selector is a label query over pods that should match the replica count. If the selector is empty,',
    'it is defaulted to the labels present on the pod template. Label keys and values that must match',
    'in order to be controlled by this replica set. More info:',
    'https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors',
  ],
};

export const DAEMON_SET: ColumnDescriptions = {
  Desired: [
    'The total number of nodes that should be running the daemon pod (including nodes correctly running',
    'the daemon pod). More info: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/',
  ],
  Current: [
    'The number of nodes that are running at least 1 daemon pod and are supposed to run the daemon pod.',
    'More info: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/',
  ],
  Ready: [
    'The number of nodes that should be running the daemon pod and have one or more of the daemon pod',
    'running and ready.',
  ],
  'Up-to-date': ['The total number of nodes that are running updated daemon pod'],
  Available: [
    'The number of nodes that should be running the daemon pod and have one or more of the daemon pod',
    'running and available (ready for at least spec.minReadySeconds)',
  ],
  'Node Selector': [
    'NodeSelector is a selector which must be true for the pod to fit on a node. Selector which must',
    "match a node's labels for the pod to be scheduled on that node. More info:",
    'https://kubernetes.io/docs/concepts/configuration/assign-pod-node/',
  ],
  Selector: [
    'A label query over pods that are managed by the daemon set. Must match in order to be controlled.',
    'If empty, defaulted to labels on Pod template. More info:',
    'https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors',
  ],
};

export const JOB: ColumnDescriptions = {
  Status: ['Status of the job.'],
  Completions: [
    'The number of pods which reached phase Succeeded. The value increases monotonically for a given',
    'spec. However, it may decrease in reaction to scale down of elastic indexed jobs.',
  ],
  Duration: ['Time required to complete the job.'],
  Selector: [
    'A label query over pods that should match the pod count. Normally, the system sets this field for',
    'you. More info:',
    'https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors',
  ],
};

export const POD_DISRUPTION_BUDGET: ColumnDescriptions = {
  'Min Available': ['The minimum number of pods that must be available.'],
  'Max Unavailable': ['The maximum number of pods that may be unavailable.'],
  'Allowed Disruptions': ['Calculated number of pods that may be disrupted at this time.'],
};
