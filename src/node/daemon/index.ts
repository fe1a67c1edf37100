/**
 * One node's journey from config to config.
 *
 *     createDaemon      a controller for `runControllers`, with one key: its own node
 *     decide            what is the next thing? Pure; the state machine is there
 *     Journal           the update under way, on the disk, before each step and after it
 *     Reporter          what the cluster is told, computed by `nodeReport` in `update`
 *     DriftWatch        somebody changed by hand what a config put there
 *
 * What to do is decided in `update` (plans) and here (`decide`); what the machine does is asked of `host`. A plan's steps
 * are carried out one at a time (`step-*.ts`, `post-action.ts`), each with its undo. Nothing sleeps and nothing polls: to
 * wait is to return.
 *
 * Not here: other nodes, pools, and starting a process (the shells do).
 *
 * Start with `decide.ts`, then `daemon.ts` and `update-steps.ts`.
 */
export type { DaemonContext } from './context.ts';
export { createDaemon } from './daemon.ts';
export { createDaemonLog } from './daemon-log.ts';
export { firstWords, layDownFirstConfig } from './first-config.ts';
export { DaemonMetrics, formatMetrics } from './metrics.ts';
export { type DaemonSettings, DEFAULT_DAEMON_SETTINGS, daemonSettingsAtSpeed } from './settings.ts';
export {
  CURRENT_CONFIG,
  FIRST_ANNOTATIONS,
  IGNITION_PRESET,
  IN_THE_WAY,
  JOURNAL,
  JOURNAL_FROM,
  JOURNAL_TO,
} from './state-paths.ts';
