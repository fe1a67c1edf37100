/**
 * The rollout of configurations to nodes: which pool a node belongs to, which nodes are updated next, how a node is
 * drained, and the status of pools.
 *
 * Everything here is a pure function over plain objects: problems are values, time is an argument, and writes are returned
 * as data. Controllers, the daemon and previews call the same functions, so that a preview shows what will happen.
 *
 *     membershipOf ──> PoolTally ──> poolGate, maxUnavailable, selectCandidates, chooseTargets ──> the next nodes
 *                          └───────> poolStatus, taintsFor, fetchChanges, events               ──> status
 *     drainState ──> drainStep, evictionReport ──> the drained node ──> drainConditions
 *
 *     References ──> decidePruning ──> rendered configs that nothing needs (`pruning`)
 *
 * A `PoolTally` is updated node by node, so the cost of an event does not grow with the pool.
 *
 * Not here: what a node should look like (`config`), reading or writing a cluster (`controllers`), and what happens on
 * the machine (`node`).
 *
 * Start with `node-state.ts`, then `candidates.ts` and `drain.ts`.
 */
export { nodesToAdopt } from './adoption.ts';
export { type Relabelling, relabellingOf } from './booted-pool.ts';
export {
  type BuilderOutage,
  builderOutage,
  leaderAbsence,
  leaseDueInMs,
  needsBuilder,
  outageEvent,
  RESTART_GRACE_MS,
  reportedOutage,
} from './builder-outage.ts';
export { NO_SELECTION, type Selection, selectCandidates } from './candidates.ts';
export { maxUnavailable } from './capacity.ts';
export { type Choice, chooseTargets } from './choose-targets.ts';
export { clusterOperatorStatus } from './cluster-operator-status.ts';
export type { ConditionUpdate } from './condition-update.ts';
export type { Contribution } from './contribution.ts';
export { cordonFields, cordonHolder, DRAIN_FIELD_MANAGER } from './cordon.ts';
export { cordonFailure } from './cordon-failure.ts';
export { type DrainStep, drainStep, type Refused } from './drain.ts';
export { isDrainOverdue } from './drain-age.ts';
export { budgetsOf, type PodReference, podForDrain, podsToMove } from './drain-pods.ts';
export { type DrainRecord, type DrainRefusal, formatDrainRecord } from './drain-record.ts';
export { DEFAULT_DRAIN_SETTINGS, type DrainSettings, dividedBy } from './drain-settings.ts';
export {
  type DrainHandshake,
  drainProgress,
  drainState,
  hasDrainChanged,
  isCordonedByUs,
  isDrainPending,
  isDrainRequested,
} from './drain-state.ts';
export { allowsEvictions, type EvictionRefusal, evictionRefusal } from './eviction/eviction-forecast.ts';
export { type EvictionReport, evictionReport } from './eviction/eviction-report.ts';
export { relaxedPods, type WaitingPod } from './eviction/relaxed-budget.ts';
export { fetchChanges } from './fetch-ahead.ts';
export { isLastSchedulableNode } from './last-schedulable-node.ts';
export {
  type BuildState,
  buildFailure,
  buildStateOf,
  imageOf,
  imageReadiness,
  type Layering,
  layeringOf,
} from './layering.ts';
export { isSelectingAll, type Membership, membershipOf, nodeSelectorProblem } from './membership.ts';
export { type NodeChange, nodePatch } from './node-change.ts';
export { DRAIN_NOT_REQUIRED, drainConditions } from './node-conditions.ts';
export { isCordoned, isDone, isFailing, isManaged, unreadyReason } from './node-state.ts';
export {
  pinnedSetsOfNode,
  pinnedSetsOfPool,
  requiredSets,
} from './pinned/pinned-image-sets.ts';
export {
  annotationEvents,
  conflictEvent,
  deferralEvent,
  degradedEvents,
  missingConfigEvent,
  selectingAllEvent,
  specEvent,
  statusEvents,
  targetingEvent,
} from './pool-events.ts';
export { type Gate, type GateInput, poolGate, SELECTING_ALL } from './pool-gate.ts';
export { poolStatus, streamOf } from './pool-status.ts';
export { PoolTally, tallyOf } from './pool-tally.ts';
export { desiredAnnotations, type PoolTarget, targetOf } from './pool-target.ts';
export {
  DEFAULT_MIN_AGE_MS,
  decidePruning,
  type PruneDecision,
  type PruneInput,
} from './pruning/decide-pruning.ts';
export { formatDiskConfigs } from './pruning/disk-configs.ts';
export { type PruneSetting, pruneSetting } from './pruning/prune-setting.ts';
export { ownerName, type RenderedConfig } from './pruning/references.ts';
export { quorumProblem } from './quorum.ts';
export { ROLLOUT_COMPONENT, type RolloutEvent } from './rollout-event.ts';
export { taintsFor, taintsWhenSent } from './taints.ts';
