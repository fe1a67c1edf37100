/**
 * Fields of workloads and of what keeps an eye on them: deployments, jobs, budgets, leases, events.
 * How to read them is said in `field-table.ts`.
 */
import type { FieldTable } from './field-table.ts';

export const WORKLOAD_FIELDS: FieldTable = {
  DaemonSet: '1 metadata ObjectMeta, 2 spec DaemonSetSpec, 3 status DaemonSetStatus',
  DaemonSetCondition: `
    1 type string!, 2 status string!, 3 lastTransitionTime time, 4 reason string, 5 message string`,
  DaemonSetSpec: `
    1 selector ?LabelSelector!, 2 template PodTemplateSpec!, 3 updateStrategy DaemonSetUpdateStrategy,
    4 minReadySeconds int, 6 revisionHistoryLimit ?int`,
  DaemonSetStatus: `
    1 currentNumberScheduled int!, 2 numberMisscheduled int!, 3 desiredNumberScheduled int!,
    4 numberReady int!, 5 observedGeneration long, 6 updatedNumberScheduled int, 7 numberAvailable int,
    8 numberUnavailable int, 9 collisionCount ?int, 10 conditions [DaemonSetCondition]`,
  DaemonSetUpdateStrategy: '1 type string, 2 rollingUpdate ?RollingUpdateDaemonSet',
  Deployment: '1 metadata ObjectMeta, 2 spec DeploymentSpec, 3 status DeploymentStatus',
  DeploymentCondition: `
    1 type string!, 2 status string!, 6 lastUpdateTime time, 7 lastTransitionTime time, 4 reason string,
    5 message string`,
  DeploymentSpec: `
    1 replicas ?int, 2 selector ?LabelSelector!, 3 template PodTemplateSpec!,
    4 strategy DeploymentStrategy, 5 minReadySeconds int, 6 revisionHistoryLimit ?int, 7 paused bool,
    9 progressDeadlineSeconds ?int`,
  DeploymentStatus: `
    1 observedGeneration long, 2 replicas int, 3 updatedReplicas int, 7 readyReplicas int,
    4 availableReplicas int, 5 unavailableReplicas int, 9 terminatingReplicas ?int,
    6 conditions [DeploymentCondition], 8 collisionCount ?int`,
  DeploymentStrategy: '1 type string, 2 rollingUpdate ?RollingUpdateDeployment',
  Eviction: '1 metadata ObjectMeta, 2 deleteOptions ?DeleteOptions',
  Job: '1 metadata ObjectMeta, 2 spec JobSpec, 3 status JobStatus',
  JobCondition: `
    1 type string!, 2 status string!, 3 lastProbeTime time, 4 lastTransitionTime time, 5 reason string,
    6 message string`,
  JobSpec: `
    1 parallelism ?int, 2 completions ?int, 3 activeDeadlineSeconds ?long,
    11 podFailurePolicy ?PodFailurePolicy, 16 successPolicy ?SuccessPolicy, 7 backoffLimit ?int,
    12 backoffLimitPerIndex ?int, 13 maxFailedIndexes ?int, 4 selector ?LabelSelector,
    5 manualSelector ?bool, 6 template PodTemplateSpec!, 8 ttlSecondsAfterFinished ?int,
    9 completionMode ?string, 10 suspend ?bool, 14 podReplacementPolicy ?string, 15 managedBy ?string`,
  JobStatus: `
    1 conditions [JobCondition], 2 startTime ?time, 3 completionTime ?time, 4 active int,
    5 succeeded int, 6 failed int, 11 terminating ?int, 7 completedIndexes string,
    10 failedIndexes ?string, 8 uncountedTerminatedPods ?UncountedTerminatedPods, 9 ready ?int`,
  Lease: '1 metadata ObjectMeta, 2 spec LeaseSpec',
  LeaseSpec: `
    1 holderIdentity ?string, 2 leaseDurationSeconds ?int, 3 acquireTime ?microTime,
    4 renewTime ?microTime, 5 leaseTransitions ?int, 6 strategy ?string, 7 preferredHolder ?string`,
  PodDisruptionBudget: `
    1 metadata ObjectMeta, 2 spec PodDisruptionBudgetSpec, 3 status PodDisruptionBudgetStatus`,
  PodDisruptionBudgetSpec: `
    1 minAvailable ?intOrString, 2 selector ?LabelSelector, 3 maxUnavailable ?intOrString,
    4 unhealthyPodEvictionPolicy ?string`,
  PodDisruptionBudgetStatus: `
    1 observedGeneration long, 2 disruptedPods {time}, 3 disruptionsAllowed int!, 4 currentHealthy int!,
    5 desiredHealthy int!, 6 expectedPods int!, 7 conditions [Condition]`,
  PodFailurePolicy: '1 rules [PodFailurePolicyRule]!',
  PodFailurePolicyOnExitCodesRequirement: '1 containerName ?string, 2 operator string!, 3 values [int]!',
  PodFailurePolicyOnPodConditionsPattern: '1 type string!, 2 status string!',
  PodFailurePolicyRule: `
    1 action string!, 2 onExitCodes ?PodFailurePolicyOnExitCodesRequirement,
    3 onPodConditions [PodFailurePolicyOnPodConditionsPattern]`,
  ReplicaSet: '1 metadata ObjectMeta, 2 spec ReplicaSetSpec, 3 status ReplicaSetStatus',
  ReplicaSetCondition: `
    1 type string!, 2 status string!, 3 lastTransitionTime time, 4 reason string, 5 message string`,
  ReplicaSetSpec: `
    1 replicas ?int, 4 minReadySeconds int, 2 selector ?LabelSelector!, 3 template PodTemplateSpec`,
  ReplicaSetStatus: `
    1 replicas int!, 2 fullyLabeledReplicas int, 4 readyReplicas int, 5 availableReplicas int,
    7 terminatingReplicas ?int, 3 observedGeneration long, 6 conditions [ReplicaSetCondition]`,
  RollingUpdateDaemonSet: '1 maxUnavailable ?intOrString, 2 maxSurge ?intOrString',
  RollingUpdateDeployment: '1 maxUnavailable ?intOrString, 2 maxSurge ?intOrString',
  Scale: '1 metadata ObjectMeta, 2 spec ScaleSpec, 3 status ScaleStatus',
  ScaleSpec: '1 replicas int',
  ScaleStatus: '1 replicas int!, 2 selector string',
  SuccessPolicy: '1 rules [SuccessPolicyRule]!',
  SuccessPolicyRule: '1 succeededIndexes ?string, 2 succeededCount ?int',
  UncountedTerminatedPods: '1 succeeded [string], 2 failed [string]',
  'events.Event': `
    1 metadata ObjectMeta!, 2 eventTime microTime!, 3 series ?events.EventSeries,
    4 reportingController string, 5 reportingInstance string, 6 action string, 7 reason string,
    8 regarding ObjectReference, 9 related ?ObjectReference, 10 note string, 11 type string,
    12 deprecatedSource EventSource, 13 deprecatedFirstTimestamp time, 14 deprecatedLastTimestamp time,
    15 deprecatedCount int`,
  'events.EventSeries': '1 count int!, 2 lastObservedTime microTime!',
};
