/**
 * From where may nodes pull images? Mirror sets, the Image `cluster` and signature policies in, the files that containers'
 * tools and CRI-O read out.
 *
 * `readRegistries` takes what users wrote, of all kinds and in any order, and says what holds and what is wrong with which
 * object; what is wrong with one never stops another. `registriesConfig` makes the files of a pool of it: registries.conf,
 * policy.json, registries.d, the policies of namespaces and the search registries.
 *
 * Not here: reading a cluster or writing to it (`controllers`), what a change of these files asks of a node (`update`), and
 * pulling images (`registry`).
 *
 * Start with `registries-config.ts`, then `mirror-sets.ts` and `registry-entries.ts`.
 */
export { type BaseFiles, readBaseFiles } from './base-files.ts';
export { type Finding, keyOf, referenceTo } from './finding.ts';
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
