/**
 * Installing Millwright on a cluster, decided.
 *
 *     manifests/*.yaml + values ──installObjects──> objects      `millwright install`, `millwright up`, the kustomize base
 *     manifests/*.yaml + marks  ──withValues─────> templates     the Helm chart (scripts/generated-chart.ts)
 *     Node ──releaseNode──> what an uninstallation changes on it       `millwright uninstall`
 *
 * Not here: reading files and printing (`cli/install`), and applying the objects in the embedded cluster (`embedded/up`).
 *
 * Start with `values.ts`, then `install-objects.ts`.
 */
export { IMPLIED_VALUES } from './implied-values.ts';
export {
  inNamespace,
  installObjects,
  OPTIONAL_FILES,
  withValues,
} from './install-objects.ts';
export { type ManifestFile, parseManifests } from './parse-manifests.ts';
export { readValues } from './read-values.ts';
export { releaseNode, unfinishedUpdate } from './release-node.ts';
export type { ValueSource } from './value-source.ts';
export { defaultValues, type InstallValues, valuesSchema } from './values.ts';
