/**
 * All kinds of Millwright, sorted by group and name.
 */

import { type AnyKind, apiVersionOf } from '../kubernetes/meta/index.ts';
import { clusterImagePolicy } from './cluster-image-policy.ts';
import { containerRuntimeConfig } from './container-runtime-config.ts';
import { controllerConfig } from './controller-config.ts';
import { image } from './image.ts';
import { imageContentSourcePolicy } from './image-content-source-policy.ts';
import { imageDigestMirrorSet } from './image-digest-mirror-set.ts';
import { imagePolicy } from './image-policy.ts';
import { imageTagMirrorSet } from './image-tag-mirror-set.ts';
import { kubeletConfig } from './kubelet-config.ts';
import { machineConfig } from './machine-config.ts';
import { machineConfigNode } from './machine-config-node.ts';
import { machineConfigPool } from './machine-config-pool.ts';
import { machineConfiguration } from './machine-configuration.ts';
import { machineOSBuild } from './machine-os-build.ts';
import { machineOSConfig } from './machine-os-config.ts';
import { osImageStream } from './os-image-stream.ts';
import { pinnedImageSet } from './pinned-image-set.ts';

export const kinds: readonly AnyKind[] = [
  clusterImagePolicy,
  image,
  imageDigestMirrorSet,
  imagePolicy,
  imageTagMirrorSet,
  containerRuntimeConfig,
  controllerConfig,
  kubeletConfig,
  machineConfig,
  machineConfigNode,
  machineConfigPool,
  machineOSBuild,
  machineOSConfig,
  osImageStream,
  pinnedImageSet,
  imageContentSourcePolicy,
  machineConfiguration,
];

/** The kind for an `apiVersion` and `kind`, if it is one of ours. */
export function findKind(apiVersion: string, kind: string): AnyKind | undefined {
  return kinds.find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
}
