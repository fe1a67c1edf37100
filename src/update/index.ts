/**
 * What must a node do to get from one config to another? Everything here decides and nothing acts.
 *
 * `readNodeConfig` takes a MachineConfig as a node sees it. `planUpdate` compares two and gives the steps, or says why the node
 * cannot follow. The daemon carries the plan out; what a step needs to know it asks here too: `staleData`, `osChanges`,
 * `sshKeysFile`, `passwordChanges`. `expectedDisk` and `diskProblems` say whether a machine is what its config says.
 *
 * Not here: touching a machine (`host`), journals and retries (`daemon`), and which node moves when (`rollout`).
 *
 * Start with `plan-types.ts`, then `plan-update.ts`.
 */
export * from './config-change.ts';
export * from './disk-check.ts';
export * from './disruption-policy.ts';
export * from './expected-disk.ts';
export * from './extensions.ts';
export * from './kernel-arguments.ts';
export type { PackageChange } from './kernel-type.ts';
export * from './moment.ts';
export * from './node-config.ts';
export * from './node-paths.ts';
export * from './node-report.ts';
export * from './os-changes.ts';
export * from './passwords.ts';
export * from './plan-types.ts';
export * from './plan-update.ts';
export * from './reconcile-check.ts';
export * from './registries-change.ts';
export * from './registries-toml.ts';
export * from './ssh-keys.ts';
export * from './stale-data.ts';
export * from './update-need.ts';
