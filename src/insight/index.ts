/**
 * Views of a fleet: the status of pools and nodes, and what is updating, waiting, blocked or degraded, and why. Pure.
 *
 *     pools, nodes, MachineConfigNodes ──> fleetStatus ──┬──> statusText      `millwright status`
 *                                                        └──> fleetChanges    the lines that `millwright up` prints
 *     MachineOSConfigs, MachineOSBuilds ──> buildList ──> buildListText           `millwright builds`
 *     ClusterSnapshot ──> diagnose ──┬──> diagnosisText                           `millwright doctor`
 *                                    └──> withCauses    the codes in `millwright status`
 *     what is pruned of rendered configs ──> pruneList ──> pruneText              `millwright prune`
 *     ClusterSnapshot, a change of it ──> fleetPlan ──> planText, planJson, planMarkdown    `millwright plan`
 *     MachineOSBuilds ──> buildChanges                         the lines about builds that `millwright up` prints
 *
 *     one pool or node ──> decidePause, decideResume, decideRetryRequest, decideUncordon (`hands`)   what an administrator does, and what follows
 *
 * Counts, conditions and membership are computed by `rollout`, like the status that the controllers write. So this agrees
 * with `kubectl get mcp`, and is correct even while no controller runs.
 *
 * Functions over plain objects; none of them throws, even for malformed objects.
 *
 * Not here: reading a cluster and drawing on a terminal (`cli`), decisions (`rollout`).
 *
 * Start with `fleet-status.ts`, then `node-phase.ts`.
 */
export type { LeaderLeases, Workloads } from './absent-components.ts';
export { buildChanges } from './build-changes.ts';
export { type BuildList, type BuildSummary, buildList } from './build-list.ts';
export { buildListText } from './build-list-text.ts';
export { type Diagnosis, diagnose, furtherNeeds, type Subject } from './doctor/diagnose.ts';
export { diagnosisJson } from './doctor/diagnosis-json.ts';
export { diagnosisText } from './doctor/diagnosis-text.ts';
export type { Finding } from './doctor/finding.ts';
export type { Need } from './doctor/rule.ts';
export { fleetChanges } from './fleet-changes.ts';
export { type FleetSnapshot, type FleetStatus, fleetStatus } from './fleet-status.ts';
export { nextLog } from './followed-log.ts';
export type { KnownConfigs } from './hands/expected-disruption.ts';
export type { HandDecision } from './hands/hand-decision.ts';
export { decidePause } from './hands/pause.ts';
export { nodeView, poolView } from './hands/pool-view.ts';
export { decideResume } from './hands/resume.ts';
export { decideRetryRequest } from './hands/retry.ts';
export { decideUncordon } from './hands/uncordon.ts';
export type { ChangeDetail } from './node-changes.ts';
export { phaseOf, updatingSince } from './node-phase.ts';
export { type Paint, paintWith, type Style } from './paint.ts';
export { fleetPlan } from './plan/fleet-plan.ts';
export { planJson } from './plan/plan-json.ts';
export { planMarkdown } from './plan/plan-markdown.ts';
export { planText } from './plan/plan-text.ts';
export type { FleetPlan, PlanEffect } from './plan/plan-types.ts';
export { JOB_NAME_LABEL } from './pod-wait.ts';
export { pruneList, pruneText } from './prune-list.ts';
export { redactObject } from './redaction/redact-object.ts';
export { redactionWith } from './redaction/redaction.ts';
export { changeSnapshot, type Deletion, type SnapshotChange } from './snapshot/change-snapshot.ts';
export {
  type ClusterSnapshot,
  clusterSnapshot,
  groupOf,
  kindKey,
  type SnapshotObject,
} from './snapshot/cluster-snapshot.ts';
export { withCauses } from './status-causes.ts';
export { statusText } from './status-text.ts';
export { wrapText } from './wrap-text.ts';
