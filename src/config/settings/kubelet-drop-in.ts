/**
 * The file of a KubeletConfig where there are no base configs: a drop-in for the kubelet of whoever installed the node.
 *
 *     spec.kubeletConfig, spec.tlsSecurityProfile, spec.logLevel ──> /etc/kubernetes/kubelet.conf.d/<name>.conf
 *
 * It has the declared fields only, so that everything else stays as the node has it. The kubelet reads the drop-ins of its
 * `--config-dir` in the order of their names and merges them over its own configuration.
 */
import type { KubeletConfig, KubeletConfigSpec } from '../../api/index.ts';
import { invalid, type Outcome, ok, type Problem } from '../../base/errors.ts';
import { canonicalJson, isObject, type JsonObject } from '../../base/json.ts';
import { formatYaml } from '../../base/yaml/index.ts';
import { partProblems } from '../kubelet/index.ts';
import { type GeneratedFile, textFile } from './generated-config.ts';
import { declaredFields, type Fields, unknownFieldWarnings, withTls } from './kubelet-files.ts';
import { cgroupProblem, kubeletConfigProblems, valueProblem, valueWarnings } from './kubelet-problems.ts';

/** The folder that the kubelet has to be started with: `--config-dir`. */
const KUBELET_DROP_INS = '/etc/kubernetes/kubelet.conf.d';

export function kubeletDropIn({ metadata, spec }: KubeletConfig): Outcome<readonly GeneratedFile[]> {
  const problems = kubeletConfigProblems(spec);
  if (problems.length > 0) return invalid(problems);
  const profiled = withTls(withLogLevel(declaredFields(spec), spec), spec);
  if (profiled.kind === 'invalid') return profiled;
  const fields = profiled.value;
  const problem = cgroupProblem(fields);
  if (problem !== undefined) return invalid([problem]);
  const values = partProblems(fields, { isDropIn: true }).filter(({ certainty }) => certainty === 'certain');
  if (values.length > 0) return invalid(values.map(({ path, message }) => valueProblem(path, message)));
  const warnings = [
    ...profiled.warnings,
    ...unknownFieldWarnings(spec),
    ...valueWarnings(spec),
    ...autoSizing(spec),
  ];
  if (Object.keys(fields).length === 0) return ok([], warnings);
  const whole = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration', ...fields };
  // From JSON values only, with its keys in canonical order.
  const text = formatYaml(JSON.parse(canonicalJson(whole)) as JsonObject);
  return ok([textFile(`${KUBELET_DROP_INS}/${metadata.name}.conf`, text)], warnings);
}

/** The verbosity is a field of the kubelet's configuration, too; a base has it in the environment of the kubelet's unit. */
function withLogLevel(fields: Fields, { logLevel }: KubeletConfigSpec): Fields {
  if (logLevel === undefined) return fields;
  const logging = isObject(fields.logging) ? fields.logging : {};
  return { ...fields, logging: { ...logging, verbosity: logLevel } };
}

/** A unit of the base computes the reservation. */
function autoSizing({ autoSizingReserved }: KubeletConfigSpec): readonly Problem[] {
  if (autoSizingReserved !== true) return [];
  const message =
    'has no effect with the base none, whose nodes do not compute reservations: set kubeletConfig.systemReserved';
  return [{ path: 'spec.autoSizingReserved', message }];
}
