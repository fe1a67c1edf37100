/**
 * Pre-flight: would this update certainly lose the node? Asked before anything is drained. Pure.
 *
 *     preflightNeeds   a change → what to read of the machine
 *     preflight        the change and what was read → refusals and warnings
 *
 * One file per check; `preflight.ts` lists them. A check refuses only what is certain; what cannot be known is a warning, or
 * nothing. It looks only at what the update changes: a change of nothing is never refused.
 *
 * Not here: reading the machine (`node/daemon`), configs that no node can apply (`config/content`), and changes that a running
 * node cannot follow (`node/plan`).
 *
 * Start with `check.ts`, then `preflight.ts`.
 */
export type { NodeFacts, PathSpace, PreflightChange, UnitFacts } from './check.ts';
export { preflight, preflightNeeds } from './preflight.ts';
export { sshdTrial } from './sshd-config.ts';
