/**
 * A fleet at a glance: pools and their nodes, what moves, what waits, what is stuck, and why.
 *
 *     pools, nodes, MachineConfigNodes ──> fleetOverview ──┬──> overviewText    a screen for people
 *                                                          └──> fleetNews       what changed since the last one, in lines
 *
 * There is no second opinion here: counts, conditions and membership are those of `rollout`, which the controllers write
 * into the status of pools. So this agrees with `kubectl get mcp`, and is right also while no controller runs.
 *
 * Everything is a function over plain objects, and none of them throws, whatever the objects are.
 *
 * Not here: reading a cluster and drawing on a terminal (`cli`), and any decision (`rollout`).
 *
 * Start with `fleet-overview.ts`, then `node-phase.ts`.
 */
export { fleetNews } from './fleet-news.ts';
export { type FleetOverview, type FleetSnapshot, fleetOverview } from './fleet-overview.ts';
export type { NewsDetail } from './node-news.ts';
export { overviewText } from './overview-text.ts';
