/**
 * Whole clusters in virtual time, from one seed: the real API server, operator, controllers and daemons, on machines in memory and over a
 * network that fails. Same seed and commit, same trace, byte for byte. No timers, sockets, threads or files of the machine are used.
 *
 *     scenario/    what happens: a cluster, what administrators do, what goes wrong; generated from a seed, plain data
 *     cluster/     the modelled parts: machines, kubelets, applications, the registry; and the processes of our components
 *     process/     a process that can be killed before or after every call of a port, stopped, or given another clock
 *     network.ts   requests that are slow, refused, lost, or late
 *     checkers/    what must never happen, checked on every state that was ever stored
 *     run-scenario.ts   from the first moment to the end: faults, then peace, and everything has to converge
 *     shrink-scenario.ts   makes a failing scenario smaller, for whoever runs scenarios
 *     rehearsal/   a cluster that stands for a real one, on which a change is rehearsed: `millwright simulate`
 *
 * Not here: the model of a machine (`embedded/sandbox`), and what users see of it (`cli/simulate`).
 *
 * Start with `run-scenario.ts`, then `scenario/scenario.ts` and `checkers/checker.ts`.
 */
export type { Violation } from './checkers/checkers.ts';
export type { TimeSource } from './rehearsal/assumed-times.ts';
export type { Band } from './rehearsal/bands.ts';
export type { BlockerForecast, PoolForecast, RefusalForecast } from './rehearsal/forecast.ts';
export type { NodeTimeline, RolloutPhase } from './rehearsal/rollout-timeline.ts';
export { type Simulation, type SimulationProgress, simulateChange } from './rehearsal/simulate-change.ts';
export type { WhatIf, WhatIfKind } from './rehearsal/what-ifs.ts';
export { runScenario, type ScenarioResult } from './run-scenario.ts';
export { FAULT_FAMILIES, type FaultFamily } from './scenario/fault-families.ts';
export { generateScenario, type Mix, USUAL_MINUTES } from './scenario/generate-scenario.ts';
export { type Scenario, type Step, stepText } from './scenario/scenario.ts';
export { type Shrunk, shrinkScenario } from './shrink-scenario.ts';
