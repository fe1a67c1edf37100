/**
 * The configuration of a kubelet (`kubelet.config.k8s.io/v1beta1`) and its flags: what keeps a kubelet from starting. Pure.
 *
 *     undecodable, unknownFields               fields and their types
 *     configurationProblems, partProblems      values
 *     capacityProblems                         reservations, against a machine
 *     mergedConfiguration, dropInPaths         the file of `--config` and the drop-ins of `--config-dir`
 *     parseFlags, flagProblems, flaggedFields  the command line
 *
 * `test/oracle/kubelet.oracle.test.ts` compares them with the kubelet's own functions: no configuration that a kubelet accepts has a
 * certain problem here.
 *
 * Not here: KubeletConfigs (`config/settings`), and where a node has its files (`node/preflight`).
 *
 * Start with `values.ts`.
 */
export { type Capacity, capacityProblems } from './capacity.ts';
export { dropInPaths, type Fields, mergedConfiguration } from './defaults.ts';
export { givenText, undecodable, unknownFields } from './fields.ts';
export { type Flags, flaggedFields, flagProblems, parseFlags } from './flags.ts';
export type { ValueProblem } from './rules.ts';
export { configurationProblems, partProblems, wholeConfiguration } from './values.ts';
