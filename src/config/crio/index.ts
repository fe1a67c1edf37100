/**
 * The configuration of CRI-O (`crio.conf` and its drop-ins): what keeps CRI-O from starting. Pure.
 *
 *     parseCrioFile      one file: is it TOML, and are its types right?
 *     mergeCrioFiles     all files, as CRI-O merges them
 *     crioValueProblems  values of the result
 *
 * `test/host/crio-config.oracle.test.ts` compares them with a real CRI-O.
 *
 * Not here: which programs of the configuration a node has (`node/preflight`), and ContainerRuntimeConfigs (`config/settings`).
 *
 * Start with `crio-files.ts`.
 */
export {
  CRIO_FIELDS,
  type CrioConfig,
  type CrioFile,
  crioMinor,
  crioText,
  mergeCrioFiles,
  parseCrioFile,
} from './crio-files.ts';
export { crioValueProblems } from './crio-values.ts';
