/**
 * What a machine that joins the cluster is given. Pure.
 *
 *     negotiateVersion   what its Ignition accepts → the version that it gets
 *     servedConfig       pool, rendered config and ControllerConfig → the Ignition that it boots with
 *     pointerConfig      the short Ignition of new machines, which points to the server
 *
 * Not here: answering requests (`server`), and writing the Secrets with the pointers (`controllers`).
 *
 * Start with `served-config.ts`.
 */
export { negotiateVersion } from './negotiate-version.ts';
export { type PointerTarget, pointerConfig } from './pointer-config.ts';
export { type BootstrapAccess, type JoinSnapshot, servedConfig, servedConfigName } from './served-config.ts';
