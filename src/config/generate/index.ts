/**
 * The MachineConfigs of a cluster as its controllers would leave them: declared ones, and those that are generated from
 * KubeletConfigs, ContainerRuntimeConfigs, mirror sets and image policies. Pure.
 *
 * For previews: a controller decides about one object at a time, by the same functions.
 *
 * Not here: the decisions themselves (`config/settings`, `config/registries`), and rendering pools (`config/render`).
 */
export {
  type GenerationRefusal,
  type GenerationWarning,
  generateSources,
  isGenerated,
} from './generate-sources.ts';
export { generationOf } from './generation.ts';
