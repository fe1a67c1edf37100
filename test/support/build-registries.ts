/** Mirror sets, registry settings and signature policies for tests. */
import {
  type ClusterImagePolicy,
  type Image,
  type ImageContentSourcePolicy,
  type ImageDigestMirrorSet,
  type ImagePolicy,
  type ImagePolicySpec,
  type ImageTagMirrorSet,
  imageContentSourcePolicy,
  imageDigestMirrorSet,
  imageTagMirrorSet,
  type MirrorEntry,
} from '../../src/api/index.ts';
import type { RegistryObjects } from '../../src/config/registries/index.ts';

const CONFIG = 'config.openshift.io/v1';

export function anItms(name: string, ...imageTagMirrors: readonly MirrorEntry[]): ImageTagMirrorSet {
  return { apiVersion: CONFIG, kind: 'ImageTagMirrorSet', metadata: { name }, spec: { imageTagMirrors } };
}

export function anIdms(name: string, ...imageDigestMirrors: readonly MirrorEntry[]): ImageDigestMirrorSet {
  return {
    apiVersion: CONFIG,
    kind: 'ImageDigestMirrorSet',
    metadata: { name },
    spec: { imageDigestMirrors },
  };
}

export function anIcsp(
  name: string,
  ...repositoryDigestMirrors: readonly Pick<MirrorEntry, 'source' | 'mirrors'>[]
): ImageContentSourcePolicy {
  return {
    apiVersion: 'operator.openshift.io/v1alpha1',
    kind: 'ImageContentSourcePolicy',
    metadata: { name },
    spec: { repositoryDigestMirrors },
  };
}

export function anImage(registrySources: Image['spec']['registrySources'] = {}): Image {
  return { apiVersion: CONFIG, kind: 'Image', metadata: { name: 'cluster' }, spec: { registrySources } };
}

export const PUBLIC_KEY = btoa('-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----\n');

export const byKey: ImagePolicySpec['policy'] = {
  rootOfTrust: { policyType: 'PublicKey', publicKey: { keyData: PUBLIC_KEY } },
};

export function aClusterImagePolicy(
  name: string,
  scopes: readonly string[],
  policy: ImagePolicySpec['policy'] = byKey,
): ClusterImagePolicy {
  return { apiVersion: CONFIG, kind: 'ClusterImagePolicy', metadata: { name }, spec: { scopes, policy } };
}

export function anImagePolicy(
  place: { readonly namespace: string; readonly name: string },
  scopes: readonly string[],
  policy: ImagePolicySpec['policy'] = byKey,
): ImagePolicy {
  return { apiVersion: CONFIG, kind: 'ImagePolicy', metadata: place, spec: { scopes, policy } };
}

export type SomeObject =
  | ImageTagMirrorSet
  | ImageDigestMirrorSet
  | ImageContentSourcePolicy
  | Image
  | ClusterImagePolicy
  | ImagePolicy;

/** All of them, each where it belongs. */
export function objectsOf(...given: readonly SomeObject[]): RegistryObjects {
  // The kind determines the type.
  const of = <T>(kind: string) => given.filter((one) => one.kind === kind) as unknown as readonly T[];
  const [image] = of<Image>('Image');
  return {
    tagMirrorSets: of<ImageTagMirrorSet>(imageTagMirrorSet.kind),
    digestMirrorSets: of<ImageDigestMirrorSet>(imageDigestMirrorSet.kind),
    contentSourcePolicies: of<ImageContentSourcePolicy>(imageContentSourcePolicy.kind),
    clusterImagePolicies: of<ClusterImagePolicy>('ClusterImagePolicy'),
    imagePolicies: of<ImagePolicy>('ImagePolicy'),
    ...(image === undefined ? {} : { image }),
  };
}
