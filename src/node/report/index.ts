/**
 * What a node reports to the cluster: its annotations, the status of its MachineConfigNode, and events. Pure.
 *
 * The daemon hands in what has happened (`moment.ts`); `nodeReport` answers with all that follows from it, so that
 * annotations, conditions and events come from one computed state and cannot disagree.
 *
 * Not here: what has to be done (`node/plan`), and writing it (`node/daemon`).
 *
 * Start with `node-report.ts`, then `state.ts` and `sayings.ts`.
 */
export { postActionFailure, rebootRationale } from './events.ts';
export type { FailureEvent, Moment } from './moment.ts';
export { type FeatureGates, nodeReport } from './node-report.ts';
