/**
 * What a diagnosis looks at: first the objects that are always needed, then what these call for, such as the pods of a node
 * whose drain has failed. Of MachineConfigs, which are large, the metadata alone.
 *
 * What the user may not read is left out and named: a rule that cannot look asserts nothing. Without pools and nodes there is
 * nothing to diagnose.
 */
import {
  CONTROLLER_CONFIG_NAME,
  clusterImagePolicy,
  clusterOperator,
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
  machineOSBuild,
  machineOSConfig,
} from '../../api/index.ts';
import { Failure } from '../../base/errors.ts';
import { KUBELET_SERVING_SIGNER } from '../../certificates/index.ts';
import { type ClusterSnapshot, furtherNeeds } from '../../insight/index.ts';
import {
  certificateSigningRequest,
  daemonSet,
  deployment,
  lease,
  node,
} from '../../kubernetes/types/index.ts';
import { INSTALLED_NAMESPACES, snapshotNamespace } from '../installed-namespace.ts';
import type { NamespaceOptions } from '../namespace-option.ts';
import type { ClusterSession } from '../objects/cluster-session.ts';
import { ClusterReader, type Listing } from '../snapshot/cluster-reader.ts';

/** A cluster or a dump of one. */
export type DoctorSources = {
  readonly snapshot: ClusterSnapshot;
  /** Of the components. */
  readonly namespace: string;
  /** Kinds that the user may not read, as their plurals. */
  readonly unread: readonly string[];
  /** Of a dump: kinds with files that cannot be read, as their plurals. */
  readonly damaged: readonly string[];
};

export const POOLS: Listing = { kind: machineConfigPool, isRequired: true };

const BASE: readonly Listing[] = [
  INSTALLED_NAMESPACES,
  POOLS,
  { kind: node, isRequired: true },
  { kind: machineConfigNode },
  { kind: machineConfig, isMetadataOnly: true },
  { kind: controllerConfig, fieldSelector: `metadata.name=${CONTROLLER_CONFIG_NAME}` },
  { kind: clusterOperator, fieldSelector: 'metadata.name=machine-config' },
  { kind: machineOSConfig },
  { kind: machineOSBuild },
  { kind: kubeletConfig },
  { kind: containerRuntimeConfig },
  { kind: imageDigestMirrorSet },
  { kind: imageTagMirrorSet },
  { kind: imageContentSourcePolicy },
  { kind: clusterImagePolicy },
  { kind: imagePolicy },
  { kind: image, fieldSelector: 'metadata.name=cluster' },
  { kind: certificateSigningRequest, fieldSelector: `spec.signerName=${KUBELET_SERVING_SIGNER}` },
];

/** Of the components, in their namespace. */
const WORKLOADS = [lease, deployment, daemonSet] as const;

/** Throws as the session does; a cluster without our kinds is a `Failure` that says so. */
export async function readDoctorSources(
  session: ClusterSession,
  options: NamespaceOptions = {},
): Promise<DoctorSources> {
  const reader = new ClusterReader(session);
  await reader.read(BASE);
  throwUnlessInstalled(reader);
  const namespace = snapshotNamespace(options, reader.snapshot());
  await reader.read(WORKLOADS.map((kind) => ({ kind, namespace })));
  await reader.read(furtherNeeds(reader.snapshot(), namespace));
  return { snapshot: reader.snapshot(), namespace, unread: reader.unread(), damaged: [] };
}

/** A cluster without our kinds. */
export function throwUnlessInstalled(reader: ClusterReader): void {
  if (reader.isServed(machineConfigPool)) return;
  const message = 'the server does not serve MachineConfigPools: Millwright is not installed';
  throw new Failure('usage', 'NotInstalled', message);
}
