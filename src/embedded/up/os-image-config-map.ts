/**
 * The ConfigMap with the OS image of the cluster, which an installer creates. It has upstream's four keys.
 *
 * `osImageURL` takes precedence over the image of the release. It is empty until an administrator sets it, and what an
 * administrator has set is kept.
 */

import { NAMESPACE } from '../../api/index.ts';
import type { Kube } from '../../kubernetes/client/index.ts';
import { type ConfigMap, configMap } from '../../kubernetes/types/index.ts';

const NAME = 'machine-config-osimageurl';

/** The keys that administrators may set. */
const OPTIONAL_KEYS = ['osImageURL', 'baseOSExtensionsContainerImage'] as const;

type OsImage = { readonly osImage: string; readonly version: string };

export async function applyOsImageConfigMap(kube: Kube, { osImage, version }: OsImage): Promise<void> {
  const existing = await kube.get(configMap, { name: NAME, namespace: NAMESPACE });
  // Not applied where it is set: the value would be overwritten.
  const unset = OPTIONAL_KEYS.filter((key) => !existing?.data?.[key]);
  const desired: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: NAME, namespace: NAMESPACE },
    data: {
      baseOSContainerImage: osImage,
      releaseVersion: version,
      ...Object.fromEntries(unset.map((key) => [key, ''])),
    },
  };
  await kube.apply(configMap, desired);
}
