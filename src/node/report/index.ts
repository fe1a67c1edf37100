/**
 * What a node reports to the cluster: its annotations, the status of its MachineConfigNode, and events. Pure.
 *
 *     ProgressEvent[] ──nodeReport──> annotations, status, events
 *
 * The daemon passes in what has happened; annotations, conditions and events are all computed from that, so they cannot
 * disagree.
 *
 * Not here: what has to be done (`node/plan`), and writing the report (`node/daemon`).
 *
 * Start with `progress-event.ts` and `node-report.ts`, then `state.ts`; the texts are in `condition-updates.ts`.
 */
export { isFetching } from './condition-updates.ts';
export { degradedPointer, postActionFailure, rebootRationale } from './node-events.ts';
export { type FeatureGates, nodeReport } from './node-report.ts';
export type { FailedPhase, FailureEvent, ProgressEvent } from './progress-event.ts';
export { type RecentUpdate, recentUpdates } from './recent-updates.ts';
