/**
 * What should a node look like? MachineConfigs in, one rendered MachineConfig out.
 *
 * `render` selects a pool's MachineConfigs, orders, validates and merges them, and names the result after its
 * content. It returns problems instead of throwing, each with its source, and reports for every file, unit, argument
 * and setting which source won. The controllers and previews call the same function, so a
 * preview shows what will happen.
 *
 * Not here: reading a cluster, a clock or a file, and moving nodes to the result (`rollout`).
 *
 * Start with `render.ts`.
 */
export { type Base, baseConfigs } from './base-configs.ts';
export { checkSource } from './check-source.ts';
export { clusterDns, DNS_SERVICE_LABEL } from './cluster-dns.ts';
export { isEmptyRendered } from './empty-config.ts';
export { kubeletTls } from './kubelet-tls.ts';
export type { Origin } from './origins.ts';
export { releaseProblem } from './release-guard.ts';
export { render } from './render.ts';
export { renderPool } from './render-pool.ts';
export type { Rendering, RenderSettings } from './rendering.ts';
export { isRendered } from './select-sources.ts';
export { type SettingsObjects, settingsFor } from './settings.ts';
export type { TemplateTree } from './template-tree.ts';
export { DEFAULT_CLUSTER_DOMAIN } from './template-values.ts';
