/**
 * Views of a fleet: the status of pools and nodes, and what is updating, waiting, blocked or degraded, and why. Pure.
 *
 *     pools, nodes, MachineConfigNodes ──> fleetStatus ──┬──> statusText      `millwright status`
 *                                                        └──> fleetChanges    the lines that `millwright up` prints
 *     MachineOSConfigs, MachineOSBuilds ──> buildList ──> buildListText           `millwright builds`
 *     MachineOSBuilds ──> buildChanges                         the lines about builds that `millwright up` prints
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
export { buildChanges } from './build-changes.ts';
export { type BuildList, type BuildSummary, buildList } from './build-list.ts';
export { buildListText } from './build-list-text.ts';
export { fleetChanges } from './fleet-changes.ts';
export { type FleetSnapshot, type FleetStatus, fleetStatus } from './fleet-status.ts';
export { nextLog } from './followed-log.ts';
export type { ChangeDetail } from './node-changes.ts';
export { JOB_NAME_LABEL } from './pod-wait.ts';
export { statusText } from './status-text.ts';
