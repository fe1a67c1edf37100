/**
 * Pods of a DaemonSet: each is created for one node and stays there.
 */

import { compareBytes } from '../../../base/json.ts';
import type {
  Affinity,
  DaemonSet,
  Node,
  Pod,
  PodSpec,
  PodTemplateSpec,
  Toleration,
} from '../../../kubernetes/types/index.ts';
import { daemonSet } from '../../../kubernetes/types/index.ts';
import { meetsRequirements, nodeRequirements } from '../scheduler/node-affinity.ts';
import { isTolerated } from '../scheduler/tolerations.ts';
import { controllerReference } from './ownership.ts';
import { podFromTemplate } from './pod-from-template.ts';
import { createdMs } from './pod-state.ts';

const HASH_LABEL = 'controller-revision-hash';
const GENERATION_LABEL = 'pod-template-generation';
const GENERATION = 'deprecated.daemonset.template.generation';
const NAME_FIELD = 'metadata.name';

/** Whether a node should run the pod, and whether it may keep an existing one. */
export type Fit = { readonly shouldRun: boolean; readonly mayStay: boolean };

/** Evaluates nodes for the set; what is the same for all nodes is computed once. */
export function fitOf({ spec: { template } }: DaemonSet): (node: Node) => Fit {
  const demands = nodeRequirements(template.spec);
  const tolerations = withDaemonTolerations(template.spec);
  const { nodeName = '' } = template.spec;
  return ({ metadata: { name, labels = {} }, spec: { taints = [] } }) => {
    const isMeant = nodeName === '' || nodeName === name;
    if (!isMeant || (demands !== undefined && !meetsRequirements(demands, { name, labels }))) {
      return { shouldRun: false, mayStay: false };
    }
    const keeping = taints.filter((taint) => !isTolerated(tolerations, taint)).map(({ effect }) => effect);
    const mayStay = !keeping.includes('NoExecute');
    return { shouldRun: mayStay && !keeping.includes('NoSchedule'), mayStay };
  };
}

/** The tolerations that the DaemonSet controller adds. */
function withDaemonTolerations({ tolerations = [], hostNetwork }: PodSpec): readonly Toleration[] {
  const added: readonly Toleration[] = [
    ...['not-ready', 'unreachable'].map((what) => nodeToleration(what, 'NoExecute')),
    ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((what) =>
      nodeToleration(what, 'NoSchedule'),
    ),
    ...(hostNetwork === true ? [nodeToleration('network-unavailable', 'NoSchedule')] : []),
  ];
  const isSame = (a: Toleration, b: Toleration): boolean =>
    a.key === b.key &&
    a.effect === b.effect &&
    a.operator === b.operator &&
    (a.value ?? '') === (b.value ?? '');
  return [...tolerations.filter((one) => !added.some((other) => isSame(one, other))), ...added];
}

function nodeToleration(what: string, effect: 'NoExecute' | 'NoSchedule'): Toleration {
  return { key: `node.kubernetes.io/${what}`, operator: 'Exists', effect };
}

export function daemonPod(set: DaemonSet, nodeName: string, hash: string): Pod {
  const { template } = set.spec;
  const generation = set.metadata.annotations?.[GENERATION];
  const labels = {
    ...template.metadata?.labels,
    ...(generation === undefined ? {} : { [GENERATION_LABEL]: generation }),
    [HASH_LABEL]: hash,
  };
  const pinned: PodTemplateSpec = {
    metadata: { ...template.metadata, labels },
    spec: {
      ...template.spec,
      affinity: pinnedTo(template.spec.affinity, nodeName),
      tolerations: withDaemonTolerations(template.spec),
    },
  };
  return podFromTemplate(set, pinned, controllerReference(daemonSet, set));
}

/** The scheduler binds the pod; node affinity restricts it to this node. */
function pinnedTo(affinity: Affinity | undefined, nodeName: string): Affinity {
  const term = { matchFields: [{ key: NAME_FIELD, operator: 'In', values: [nodeName] } as const] };
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
    },
  };
}

/** The node of a pod, from its binding or its node affinity. */
export function targetNode({ spec }: Pod): string | undefined {
  if ((spec.nodeName ?? '') !== '') return spec.nodeName;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const fields = (required?.nodeSelectorTerms ?? []).flatMap(({ matchFields = [] }) => matchFields);
  const named = fields.find(({ key, operator }) => key === NAME_FIELD && operator === 'In');
  return named?.values?.length === 1 ? named.values[0] : undefined;
}

/** Whether the pod has the current template. */
export function isUpdated({ metadata: { labels = {} } }: Pod, set: DaemonSet, hash: string): boolean {
  const generation = set.metadata.annotations?.[GENERATION];
  return labels[HASH_LABEL] === hash || (generation !== undefined && labels[GENERATION_LABEL] === generation);
}

/** Bound pods first, then by age. */
export function byPlaceAndAge(pods: readonly Pod[]): readonly Pod[] {
  const isPlaced = ({ spec }: Pod): number => Number((spec.nodeName ?? '') !== '');
  return pods.toSorted(
    (a, b) =>
      isPlaced(b) - isPlaced(a) ||
      (createdMs(a) ?? 0) - (createdMs(b) ?? 0) ||
      compareBytes(a.metadata.name, b.metadata.name),
  );
}
