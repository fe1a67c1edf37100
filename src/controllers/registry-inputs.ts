/** The objects from which the MachineConfigs about registries are generated, each with its cache. */
import {
  clusterImagePolicy as clusterImagePolicyKind,
  imageContentSourcePolicy as imageContentSourcePolicyKind,
  imageDigestMirrorSet as imageDigestMirrorSetKind,
  image as imageKind,
  imagePolicy as imagePolicyKind,
  imageTagMirrorSet as imageTagMirrorSetKind,
} from '../api/index.ts';
import { type Caches, cachedResource } from '../kubernetes/client/index.ts';

const CLUSTER = 'cluster';

export function registryInputs(caches: Caches) {
  return {
    images: cachedResource(caches, imageKind, { fieldSelector: `metadata.name=${CLUSTER}` }),
    digestMirrorSets: cachedResource(caches, imageDigestMirrorSetKind),
    tagMirrorSets: cachedResource(caches, imageTagMirrorSetKind),
    contentSourcePolicies: cachedResource(caches, imageContentSourcePolicyKind),
    clusterImagePolicies: cachedResource(caches, clusterImagePolicyKind),
    imagePolicies: cachedResource(caches, imagePolicyKind),
  };
}
