/**
 * The daemon of a node: moves it from its current config to the desired one.
 *
 *     observe ─> decide ─> execute ─> report
 *
 *     createDaemon    a controller for `runControllers` with one key, its own node
 *     decide          the state machine: what is the next action, is it time to roll back? Pure
 *     Journal         the update in progress, on the disk
 *     decideRetry     when the request of an administrator to try again is followed, and that once. Pure
 *     decideRepair    what to do about state on the disk that cannot be read. Pure
 *     Reporter        writes annotations, status and events, as computed by `node/report`
 *     DriftMonitor    watches for changes by others to what the config put on the disk
 *
 * A plan (`node/plan`) is executed step by step (`steps.ts`, `step-*.ts`), each with its undo; the machine is reached
 * through `node/host`. Nothing sleeps or polls: to wait is to return.
 *
 * Not here: other nodes, pools, and starting a process (`processes`).
 *
 * Start with `decide.ts`, then `daemon.ts` and `update-actions.ts`.
 */
export type { DaemonContext } from './context.ts';
export { createDaemonLog } from './context.ts';
export { createDaemon } from './daemon.ts';
export { completeFirstBoot } from './first-boot.ts';
export { initialAnnotations, writeAsIgnition, writeInitialConfig } from './initial-config.ts';
export { DAEMON_METRICS, DaemonMetrics } from './metrics.ts';
export { type DaemonSettings, DEFAULT_DAEMON_SETTINGS, daemonSettingsAtSpeed } from './settings.ts';
export {
  BACKUPS,
  CURRENT_CONFIG,
  IGNITION_PRESET,
  INITIAL_ANNOTATIONS,
  JOURNAL,
  JOURNAL_FROM,
  JOURNAL_TO,
} from './state-paths.ts';
