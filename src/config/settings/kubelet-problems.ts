/**
 * Validation of a KubeletConfig, with the messages of its conditions.
 *
 * Some fields are owned by the cluster: a node whose kubelet has other values may not come back after its reboot.
 */

import type { KubeletConfigSpec, MachineConfigPool } from '../../api/index.ts';
import { nodeRoleLabel } from '../../api/index.ts';
import type { Problem } from '../../base/errors.ts';
import { isDeeperThan, isObject, MAX_JSON_DEPTH, own } from '../../base/json.ts';
import { stringAt } from '../../base/json-fields.ts';
import { parseQuantity } from '../../base/text/index.ts';
import { givenText, partProblems, undecodable, type ValueProblem } from '../kubelet/index.ts';

const MAX_LOG_LEVEL = 10;

/** Problems that do not depend on a pool. The first one becomes the message of the condition. */
export function kubeletConfigProblems(spec: KubeletConfigSpec): readonly Problem[] {
  const { kubeletConfig: given } = spec;
  const problems = [...logLevelProblems(spec)];
  if (given === undefined) return problems;
  const unread = decodeProblem(given);
  if (unread !== undefined || !isObject(given)) {
    problems.push(at('', `KubeletConfig could not be unmarshalled, err: ${unread ?? 'not an object'}`));
    return problems;
  }
  const values = partProblems(given).filter(({ certainty }) => certainty === 'certain');
  return [
    ...problems,
    ...forbidden(given),
    ...reservationProblems(spec, given),
    ...values.map(({ path, message }) => valueProblem(path, message)),
  ];
}

/** A kubelet would not start with the value. */
export function valueProblem(path: string, message: string): Problem {
  return at(path, `KubeletConfiguration: ${path} ${message}`);
}

/** What some kubelets start with, and others do not. */
export function valueWarnings({ kubeletConfig: given }: KubeletConfigSpec): readonly Problem[] {
  const problems: readonly ValueProblem[] = isObject(given) ? partProblems(given) : [];
  return problems
    .filter(({ certainty }) => certainty === 'doubtful')
    .map(({ path, message }) => ({ path: `spec.kubeletConfig.${path}`, message }));
}

/** Problems with the selected pool. */
export function staticPodProblem(
  { kubeletConfig: given }: KubeletConfigSpec,
  pool: MachineConfigPool,
): Problem | undefined {
  if (!isObject(given) || own(given, 'staticPodPath') === undefined) return undefined;
  const { name } = pool.metadata;
  const path = own(given, 'staticPodPath');
  if (isControlPlane(pool)) {
    const message = `KubeletConfiguration: staticPodPath is not allowed to be set for control plane pool "${name}"`;
    return at('staticPodPath', message);
  }
  if (path === '' || path === null) return undefined;
  const message = `KubeletConfiguration: staticPodPath must be empty for pool "${name}", but contains: ${goText(path)}`;
  return at('staticPodPath', message);
}

/** Where both cgroups are set they must be the same: what the system may use is reserved where the system runs. */
export function cgroupProblem(config: { readonly [name: string]: unknown }): Problem | undefined {
  const reserved = stringAt(config, 'systemReservedCgroup');
  const system = stringAt(config, 'systemCgroups');
  if (reserved === '' || system === '' || reserved === system) return undefined;
  const message = `KubeletConfiguration: systemReservedCgroup (${reserved}) must match systemCgroups (${system})`;
  return at('systemReservedCgroup', message);
}

/** The resources in the file from which the node computes its reservations. */
export const RESERVED_RESOURCES = ['memory', 'cpu', 'ephemeral-storage'] as const;

/** `systemReserved` of the user, by resource. */
export function reservedByUser(given: unknown): ReadonlyMap<string, string> {
  const reserved = isObject(given) ? own(given, 'systemReserved') : undefined;
  if (!isObject(reserved)) return new Map();
  return new Map(
    RESERVED_RESOURCES.flatMap((name) => {
      const amount = own(reserved, name);
      return typeof amount === 'string' && amount !== '' ? [[name, amount] as const] : [];
    }),
  );
}

function* logLevelProblems({ logLevel }: KubeletConfigSpec): Generator<Problem> {
  if (logLevel !== undefined && (logLevel < 0 || logLevel > MAX_LOG_LEVEL)) {
    yield { path: 'spec.logLevel', message: `KubeletConfig's LogLevel is not valid [0,10]: ${logLevel}` };
  }
}

function decodeProblem(given: unknown): string | undefined {
  if (isDeeperThan(given, MAX_JSON_DEPTH)) return 'exceeded max depth';
  if (isObject(given)) {
    const [kind, version] = [own(given, 'kind') ?? KIND, own(given, 'apiVersion') ?? API_VERSION];
    if (kind !== KIND || version !== API_VERSION) {
      return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version)}`;
    }
  }
  return undecodable(given) ?? quantityProblem(given);
}

const KIND = 'KubeletConfiguration';
const API_VERSION = 'kubelet.config.k8s.io/v1beta1';

/** They end up in a file that is sourced by a shell, so only quantities are allowed. */
function quantityProblem(given: unknown): string | undefined {
  for (const [name, amount] of reservedByUser(given)) {
    if ('error' in parseQuantity(amount)) {
      return `systemReserved.${name}: must be a quantity such as 500Mi (given: ${givenText(amount)})`;
    }
  }
  return undefined;
}

/** In the order in which they are checked. Fields of `memorySwap` are named without their parent. */
export const CLUSTER_FIELDS = [
  'cgroupDriver',
  'clusterDNS',
  'clusterDomain',
  'featureGates',
  'failSwapOn',
] as const;

function forbidden(given: { readonly [name: string]: unknown }): readonly Problem[] {
  const swap = own(given, 'memorySwap');
  const stated: readonly (readonly [string, unknown])[] = [
    ...CLUSTER_FIELDS.map((name) => [name, own(given, name)] as const),
    ['swapBehavior', isObject(swap) ? own(swap, 'swapBehavior') : undefined],
  ];
  return stated
    .filter(([, value]) => isStated(value))
    .map(([name, value]) =>
      at(name, `KubeletConfiguration: ${name} is not allowed to be set, but contains: ${goText(value)}`),
    );
}

/** Whether a field is set; `failSwapOn: false` counts as set. */
function isStated(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isObject(value) || Object.keys(value).length > 0;
}

function* reservationProblems(
  { autoSizingReserved }: KubeletConfigSpec,
  given: { readonly [name: string]: unknown },
): Generator<Problem> {
  if (autoSizingReserved === true && isStated(own(given, 'systemReserved'))) {
    const message = 'KubeletConfiguration: autoSizingReserved and systemdReserved cannot be set together';
    yield at('systemReserved', message);
  }
  const problem = cgroupProblem(given);
  if (problem !== undefined) yield problem;
}

/** By its name, or by the nodes that it selects. */
function isControlPlane({ metadata, spec }: MachineConfigPool): boolean {
  if (metadata.name === 'master' || metadata.name === 'arbiter') return true;
  const keys = [
    ...Object.keys(spec.nodeSelector?.matchLabels ?? {}),
    ...(spec.nodeSelector?.matchExpressions ?? [])
      .filter(({ operator }) => operator === 'In' || operator === 'Exists')
      .map(({ key }) => key),
  ];
  return ['master', 'control-plane'].some((role) => keys.includes(nodeRoleLabel(role)));
}

/** A value as Go prints it (`%v`): `[a b]`, `map[A:true]`. */
function goText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isObject(value)) return String(value);
  const pairs = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goText(value[key])}`);
  return `map[${pairs.join(' ')}]`;
}

function at(name: string, message: string): Problem {
  return { path: name === '' ? 'spec.kubeletConfig' : `spec.kubeletConfig.${name}`, message };
}
