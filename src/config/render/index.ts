/**
 * What should a node look like? MachineConfigs in, one rendered MachineConfig out.
 *
 * `render` selects a pool's MachineConfigs, orders, checks and merges them, and names the result by its
 * content. It returns problems instead of throwing, names the source of each, and says for every file,
 * unit, argument and setting which source won. Whoever renders calls it, so what is shown is what happens.
 *
 * Not here: reading a cluster, a clock or a file, and getting nodes to the result (`rollout`).
 *
 * Start with `render.ts`.
 */
export { baseConfigs } from './base-configs.ts';
export { checkSource } from './check-source.ts';
export { kubeletTls } from './kubelet-tls.ts';
export type { Origin } from './origins.ts';
export { render } from './render.ts';
export type { Rendering, RenderSettings } from './rendering.ts';
export { isRendered } from './select-sources.ts';
export { type SettingsObjects, settingsFor } from './settings.ts';
export type { TemplateTree } from './template-tree.ts';
