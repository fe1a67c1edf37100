/**
 * The files of a KubeletConfig: the role's kubelet.conf with the user's settings merged into it, and the environment
 * files for system reservations and log verbosity.
 *
 *     kubelet.conf of the role  +  spec.kubeletConfig, spec.tlsSecurityProfile  ──> /etc/kubernetes/kubelet.conf
 *     systemReserved, spec.autoSizingReserved                                   ──> /etc/node-sizing-enabled.env
 *     spec.logLevel                                                             ──> …/kubelet.service.d/20-logging.conf
 */
import type { KubeletConfigSpec } from '../../api/index.ts';
import { formatProblem, invalid, type Outcome, ok, type Problem, within } from '../../base/errors.ts';
import { canonicalJson, isObject, type JsonObject, own } from '../../base/json.ts';
import { formatYaml, parseYaml } from '../../base/yaml/index.ts';
import { configurationProblems, mergedConfiguration, unknownFields } from '../kubelet/index.ts';
import { kubeletTls } from '../render/index.ts';
import { type GeneratedFile, textFile } from './generated-config.ts';
import {
  CLUSTER_FIELDS,
  cgroupProblem,
  kubeletConfigProblems,
  RESERVED_RESOURCES,
  reservedByUser,
  valueProblem,
  valueWarnings,
} from './kubelet-problems.ts';

export const KUBELET_CONF = '/etc/kubernetes/kubelet.conf';
export const NODE_SIZING_FILE = '/etc/node-sizing-enabled.env';
export const KUBELET_LOGGING_FILE = '/etc/systemd/system/kubelet.service.d/20-logging.conf';

/** `base` is the kubelet.conf of the base MachineConfigs. */
export function kubeletFiles(spec: KubeletConfigSpec, base: string): Outcome<readonly GeneratedFile[]> {
  const problems = kubeletConfigProblems(spec);
  if (problems.length > 0) return invalid(problems);
  const merged = kubeletConfiguration(spec, base);
  if (merged.kind === 'invalid') return merged;
  const sizing = nodeSizing(spec);
  const files = [
    ...(sizing === undefined ? [] : [textFile(NODE_SIZING_FILE, sizing)]),
    ...(spec.logLevel === undefined ? [] : [textFile(KUBELET_LOGGING_FILE, logging(spec.logLevel))]),
    textFile(KUBELET_CONF, formatYaml(merged.value)),
  ];
  return ok(files, [...merged.warnings, ...unknownFieldWarnings(spec), ...valueWarnings(spec)]);
}

export function unknownFieldWarnings({ kubeletConfig }: KubeletConfigSpec): readonly Problem[] {
  return unknownFields(kubeletConfig).map((name) => ({
    path: `spec.kubeletConfig.${name}`,
    message:
      'is no field of a KubeletConfiguration that is known here; the kubelet passes over what it does not know',
  }));
}

/** The merged KubeletConfiguration, with its keys in canonical order. */
function kubeletConfiguration(spec: KubeletConfigSpec, base: string): Outcome<JsonObject> {
  const given = baseConfiguration(base);
  if (given === undefined) {
    const message = 'could not get original kubelet config: the kubelet.conf of the base is no YAML object';
    return invalid([{ path: '', message }]);
  }
  const profiled = withTls(given, spec);
  if (profiled.kind === 'invalid') return profiled;
  const user = userConfiguration(spec);
  const merged = withoutConflicts(laidOver(profiled.value, user), user);
  const problem = cgroupProblem(merged);
  if (problem !== undefined) return invalid([problem]);
  const values = newValueProblems(given, merged);
  if (values.length > 0) return invalid(values);
  // Merged from JSON values only.
  return ok(JSON.parse(canonicalJson(merged)) as JsonObject, profiled.warnings);
}

/** Values that fit neither to those of the base nor to the kubelet's defaults. */
function newValueProblems(base: Fields, merged: Fields): readonly Problem[] {
  const certain = (config: Fields) =>
    configurationProblems(mergedConfiguration(config, []))
      .filter(({ certainty }) => certainty === 'certain')
      .map(({ path, message }) => valueProblem(path, message));
  const before = new Set(certain(base).map(({ message }) => message));
  return certain(merged).filter(({ message }) => !before.has(message));
}

export type Fields = { readonly [name: string]: unknown };

function baseConfiguration(text: string): Fields | undefined {
  const documents = parseYaml(text);
  const value: unknown = documents.kind === 'ok' ? documents.value[0]?.value : undefined;
  return isObject(value) ? value : undefined;
}

export function withTls(base: Fields, { tlsSecurityProfile: profile }: KubeletConfigSpec): Outcome<Fields> {
  if (profile === undefined) return ok(base);
  const tls = kubeletTls(profile);
  const place = (problem: Problem) => within('spec.tlsSecurityProfile', problem);
  if (tls.kind === 'invalid') {
    // Problems of the profile have no upstream text: they carry their path.
    const placed = tls.problems.map(place);
    return invalid(placed.map((problem) => ({ ...problem, message: formatProblem(problem) })));
  }
  const { minVersion: tlsMinVersion, cipherSuites: tlsCipherSuites } = tls.value;
  const chosen = tlsCipherSuites.length === 0 ? { tlsMinVersion } : { tlsMinVersion, tlsCipherSuites };
  return ok({ ...without(base, ['tlsCipherSuites']), ...chosen }, tls.warnings.map(place));
}

/** The user's fields that go into the file: neither those owned by the cluster nor those the node computes itself. */
function userConfiguration(spec: KubeletConfigSpec): Fields {
  const left = declaredFields(spec);
  const reserved = own(left, 'systemReserved');
  if (!isObject(reserved)) return left;
  const others = without(reserved, RESERVED_RESOURCES);
  const rest = without(left, ['systemReserved']);
  return Object.keys(others).length === 0 ? rest : { ...rest, systemReserved: others };
}

/** Neither those owned by the cluster nor those without a value. */
export function declaredFields({ kubeletConfig }: KubeletConfigSpec): Fields {
  if (!isObject(kubeletConfig)) return {};
  const left = without(kubeletConfig, ['apiVersion', 'kind', 'memorySwap', ...CLUSTER_FIELDS]);
  return Object.fromEntries(Object.entries(left).filter(([, value]) => value !== null));
}

function without(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** Maps are merged key by key; lists and scalars are replaced. Null means unset. */
function laidOver(base: Fields, over: Fields): Fields {
  const result = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const below = result.get(key);
    if (value === null) continue;
    result.set(key, isObject(value) && isObject(below) ? laidOver(below, value) : value);
  }
  return Object.fromEntries(result);
}

const SYSTEM_RESERVED = /^system-reserved/;

/** The base enforces the reservation for the system in its cgroup, which conflicts with some user settings. */
function withoutConflicts(merged: Fields, user: Fields): Fields {
  const enforced = textsOf(own(merged, 'enforceNodeAllocatable'));
  if ((own(merged, 'reservedSystemCPUs') ?? '') !== '') {
    const rest = enforced.filter((name) => !SYSTEM_RESERVED.test(name));
    const isOpen = rest.includes('pods') || rest.includes('none');
    const enforceNodeAllocatable = isOpen ? rest : ['pods', ...rest];
    return { ...without(merged, ['systemReservedCgroup']), enforceNodeAllocatable };
  }
  const asked = textsOf(own(user, 'enforceNodeAllocatable'));
  const isGivenUp = asked.length > 0 && !asked.some((name) => SYSTEM_RESERVED.test(name));
  const hasCgroup = (own(user, 'systemReservedCgroup') ?? '') !== '';
  return isGivenUp && !hasCgroup ? without(merged, ['systemReservedCgroup']) : merged;
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

/** Undefined where the object does not set it. Values stated by the user are not computed. */
function nodeSizing({ autoSizingReserved, kubeletConfig }: KubeletConfigSpec): string | undefined {
  const reserved = reservedByUser(kubeletConfig);
  if (reserved.size === 0 && autoSizingReserved === undefined) return undefined;
  const isComputed = reserved.size === 0 && autoSizingReserved === true;
  return [
    `NODE_SIZING_ENABLED=${isComputed}`,
    `SYSTEM_RESERVED_MEMORY=${reserved.get('memory') ?? '1Gi'}`,
    `SYSTEM_RESERVED_CPU=${reserved.get('cpu') ?? '500m'}`,
    `SYSTEM_RESERVED_ES=${reserved.get('ephemeral-storage') ?? '1Gi'}`,
    '',
  ].join('\n');
}

function logging(level: number): string {
  return `[Service]\nEnvironment="KUBELET_LOG_LEVEL=${level}"\n`;
}
