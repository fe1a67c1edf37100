/**
 * How do nodes get there? Which node belongs to which pool, who may move next, how a node is emptied, and what a pool and
 * its nodes say meanwhile.
 *
 * Everything here is a function over plain objects: problems are values, time is an argument, nothing is written. Where
 * something is to be written it comes back as data. Controllers, the daemon, the simulator and previews call the same
 * functions, so what is shown is what happens.
 *
 *     membershipOf ──> PoolTally ──> poolGate, maxUnavailable, selectCandidates, chooseTargets ──> who moves
 *                          └───────> poolStatus, taintsFor, events                             ──> what is said
 *     drainStep, evictionReport ──> the node is emptied ──> drainConditions
 *
 * A `PoolTally` is kept up to date node by node, so that an event costs what it changed, not what the pool holds.
 *
 * Not here: what a node should look like (`render`), reading or writing a cluster (`controllers`), and what happens on
 * the machine (`daemon`).
 *
 * Start with `node-state.ts`, then `candidates.ts` and `drain.ts`.
 */
export { type Relabelling, relabellingOf } from './booted-pool.ts';
export { NO_SELECTION, type Selection, selectCandidates } from './candidates.ts';
export { maxUnavailable } from './capacity.ts';
export { type Choice, chooseTargets } from './choose-targets.ts';
export { clusterOperatorStatus } from './cluster-status.ts';
export type { Contribution } from './contribution.ts';
export { cordonHolder } from './cordon.ts';
export { type DrainStep, drainStep, type Refused } from './drain.ts';
export { budgetsOf, type PodReference, podForDrain } from './drain-pods.ts';
export { type DrainRecord, type DrainRefusal, formatDrainRecord } from './drain-record.ts';
export { DEFAULT_DRAIN_SETTINGS, type DrainSettings, dividedBy } from './drain-settings.ts';
export {
  type DrainHandshake,
  drainProgress,
  drainState,
  hasDrainChanged,
  isDrainPending,
} from './drain-state.ts';
export { type EvictionReport, evictionReport } from './eviction-report.ts';
export { isLastOpenNode } from './last-open-node.ts';
export { type Layering, layeringOf } from './layering.ts';
export { isSelectingAll, type Membership, membershipOf, nodeSelectorProblem } from './membership.ts';
export { nodePatch } from './node-change.ts';
export { DRAIN_NOT_REQUIRED, drainConditions } from './node-conditions.ts';
export { isCordoned, isDone, isFailing, isManaged, unreadyReason } from './node-state.ts';
export {
  annotationEvents,
  conflictEvent,
  deferralEvent,
  missingConfigEvent,
  selectingAllEvent,
  specEvent,
  statusEvents,
  targetingEvent,
} from './pool-events.ts';
export { type Gate, poolGate, SELECTING_ALL } from './pool-gate.ts';
export { poolStatus, streamOf } from './pool-status.ts';
export { PoolTally, tallyOf } from './pool-tally.ts';
export { desiredAnnotations, type PoolTarget, targetOf } from './pool-target.ts';
export { relaxedPods, type WaitingPod } from './relaxed-budget.ts';
export { ROLLOUT_COMPONENT, type RolloutEvent } from './rollout-event.ts';
export type { Saying } from './saying.ts';
export { taintsFor } from './taints.ts';
