/**
 * What a plan looks at in a live cluster, and nothing else:
 *
 *     what configs are rendered from, nodes and pools     always
 *     rendered configs                                    those that a pool or a node names: old ones may be hundreds
 *     disruption budgets, the pods that they protect      where a node would be drained, and a budget may refuse an eviction
 */
import {
  APP_LABEL,
  clusterImagePolicy,
  containerRuntimeConfig,
  controllerConfig,
  image,
  imageContentSourcePolicy,
  imageDigestMirrorSet,
  imagePolicy,
  imageTagMirrorSet,
  kubeletConfig,
  machineConfig,
  machineConfigNode,
  machineConfigPool,
  machineConfiguration,
  machineOSBuild,
  machineOSConfig,
  OPERATOR_APP,
  OS_IMAGE_CONFIG_MAP,
  osImageStream,
} from '../../api/index.ts';
import { isRendered } from '../../config/render/index.ts';
import type { ClusterSnapshot } from '../../insight/index.ts';
import { formatSelector, nameOf, namespaceOf } from '../../kubernetes/meta/index.ts';
import {
  configMap,
  daemonSet,
  node,
  type PodDisruptionBudget,
  pod,
  podDisruptionBudget,
} from '../../kubernetes/types/index.ts';
import { allowsEvictions } from '../../rollout/index.ts';
import { INSTALLED_NAMESPACES, snapshotNamespace } from '../installed-namespace.ts';
import type { NamespaceOptions } from '../namespace-option.ts';
import type { ClusterSession } from '../objects/cluster-session.ts';
import { ClusterReader, type Listing } from '../snapshot/cluster-reader.ts';

/** What configs come from, beside MachineConfigs, and nodes. */
export const CONFIG_KINDS = [
  ...[machineConfigPool, machineConfigNode, kubeletConfig, containerRuntimeConfig],
  ...[controllerConfig, machineConfiguration, osImageStream, machineOSConfig, machineOSBuild],
  ...[imageDigestMirrorSet, imageTagMirrorSet, imageContentSourcePolicy, image],
  ...[clusterImagePolicy, imagePolicy, node],
] as unknown as readonly Listing['kind'][];

/** Reads what every plan needs, and returns the namespace of the components. */
export async function readConfigs(
  session: ClusterSession,
  options: NamespaceOptions = {},
): Promise<{ readonly reader: ClusterReader; readonly namespace: string }> {
  const [reader, index] = [new ClusterReader(session), new ClusterReader(session)];
  await Promise.all([
    index.read([{ kind: machineConfig, isMetadataOnly: true, isRequired: true }]),
    reader.read([INSTALLED_NAMESPACES, ...CONFIG_KINDS.map((kind) => ({ kind, isRequired: true }) as const)]),
  ]);
  const namespace = snapshotNamespace(options, reader.snapshot());
  await reader.read([
    neededConfigs(index.snapshot(), reader.snapshot()),
    { kind: configMap, namespace, fieldSelector: `metadata.name=${OS_IMAGE_CONFIG_MAP}` },
    { kind: pod, namespace, labelSelector: `${APP_LABEL}=${OPERATOR_APP}` },
  ]);
  return { reader, namespace };
}

/** Keeps the address of the request well below what proxies accept; further ones are read in vain. */
const MAX_EXCLUDED = 60;

/** All MachineConfigs but rendered ones that nothing names. */
function neededConfigs(index: ClusterSnapshot, cluster: ClusterSnapshot): Listing {
  const named = new Set([
    ...cluster.all(machineConfigPool).map(({ spec }) => spec.configuration?.name),
    ...cluster.all(node).flatMap(({ metadata }) => Object.values(metadata.annotations ?? {})),
  ]);
  const excluded = index
    .all(machineConfig)
    .filter(({ metadata }) => isRendered(metadata) && !named.has(nameOf({ metadata })))
    .slice(0, MAX_EXCLUDED)
    .map((one) => `metadata.name!=${nameOf(one)}`);
  return {
    ...{ kind: machineConfig as unknown as Listing['kind'], isRequired: true },
    ...(excluded.length > 0 && { fieldSelector: excluded.join(',') }),
  };
}

/** With more namespaces than that, one list of all pods is less work for the server. */
const MAX_NAMESPACES = 50;

/** Reads pods whose eviction may be refused, and the DaemonSets whose pods are not evicted. */
export async function readGuardedPods(reader: ClusterReader): Promise<void> {
  await reader.read([{ kind: podDisruptionBudget }]);
  const byNamespace = new Map<string, PodDisruptionBudget[]>();
  for (const budget of reader.snapshot().all(podDisruptionBudget)) {
    const namespace = namespaceOf(budget);
    byNamespace.set(namespace, [...(byNamespace.get(namespace) ?? []), budget]);
  }
  const guarded = [...byNamespace].flatMap(([namespace, budgets]) => guardedPods(namespace, budgets) ?? []);
  if (guarded.length > MAX_NAMESPACES) {
    await reader.read([{ kind: pod }, { kind: daemonSet }]);
    return;
  }
  await reader.read(
    guarded.flatMap((pods) => [
      { kind: pod, ...pods },
      { kind: daemonSet, namespace: pods.namespace },
    ]),
  );
}

type PodSelection = { readonly namespace: string; readonly labelSelector?: string };

/** Undefined where no budget of the namespace can refuse an eviction: it would grant the next one. */
function guardedPods(namespace: string, budgets: readonly PodDisruptionBudget[]): PodSelection | undefined {
  const [budget, ...others] = budgets;
  if (budget === undefined) return undefined;
  // A pod with two budgets is never evicted, whatever they allow.
  if (others.length > 0) return { namespace };
  if (allowsEvictions(budget)) return undefined;
  const labelSelector = formatSelector(budget.spec?.selector);
  return { namespace, ...(labelSelector !== '' && { labelSelector }) };
}
