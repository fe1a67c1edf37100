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
export * from './booted-pool.ts';
export * from './candidates.ts';
export * from './capacity.ts';
export * from './choose-targets.ts';
export * from './cluster-status.ts';
export * from './contribution.ts';
export { cordonHolder } from './cordon.ts';
export * from './drain.ts';
export * from './drain-error.ts';
export * from './drain-pods.ts';
export * from './drain-record.ts';
export * from './drain-settings.ts';
export * from './eviction-report.ts';
export { isLastOpenNode } from './last-open-node.ts';
export * from './layering.ts';
export * from './membership.ts';
export * from './node-change.ts';
export * from './node-conditions.ts';
export * from './node-state.ts';
export { annotationOf, fieldOf, itemsOf, nameOf, textAt } from './object-fields.ts';
export * from './pool-events.ts';
export * from './pool-gate.ts';
export * from './pool-status.ts';
export * from './pool-tally.ts';
export * from './pool-target.ts';
export * from './relaxed-budget.ts';
export * from './rollout-event.ts';
export type { Saying } from './saying.ts';
export * from './taints.ts';
export * from './target-order.ts';
