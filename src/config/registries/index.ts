/**
 * Where may nodes pull images from? Mirror sets, the Image `cluster` and signature policies → the files that
 * containers/image and CRI-O read.
 *
 * `readRegistries` combines all these objects, in any order, and reports findings per object; an error in one never
 * affects another. `registriesConfig` returns the files of a pool: registries.conf, policy.json, registries.d, the
 * policies of namespaces and the search registries. `readRegistryBundles` reads the CAs of registries, which reach nodes
 * through the ControllerConfig.
 *
 * `hostsToml` translates registries.conf for containerd.
 *
 * Not here: reading or writing a cluster (`controllers`), what a change of these files requires on a node
 * (`node/plan`), and pulling images (`images`).
 *
 * Start with `registries-config.ts`, then `mirror-sets.ts` and `registry-entries.ts`.
 */
export { type BaseFiles, readBaseFiles } from './base-files.ts';
export { CONTAINERD, containerRuntimeOf, containerRuntimeVersionOf } from './container-runtime.ts';
export { containerdFindings } from './containerd-findings.ts';
export { decideRegistriesConfig, hasRegistriesConfig } from './decide-registries-config.ts';
export { type Finding, keyOf, referenceTo } from './finding.ts';
export { CONTAINERD_HOSTS_FOLDER, type HostsFinding, hostsToml, isHostsToml } from './hosts-toml.ts';
export { REGISTRIES_CONF_PATH } from './paths.ts';
export { type Mirror, parseRegistriesConf, type RegistriesConf, type Registry } from './registries-conf.ts';
export {
  isRegistriesConfigName,
  type Registries,
  type RegistryObjects,
  readRegistries,
  registriesConfig,
  registriesConfigName,
} from './registries-config.ts';
export { readRegistryBundles, trustedCaName } from './registry-bundles.ts';
