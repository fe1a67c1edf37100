/**
 * The ConfigMap with the OS image of the cluster, which an installer creates.
 */

import { NAMESPACE } from '../../api/index.ts';
import type { Kube } from '../../kubernetes/client/index.ts';
import { type ConfigMap, configMap } from '../../kubernetes/types/index.ts';

const NAME = 'machine-config-osimageurl';

/** Applies only these keys: others, such as `osImageURL`, are kept and take precedence. */
export async function applyOsImageConfigMap(
  kube: Kube,
  { osImage, version }: { readonly osImage: string; readonly version: string },
): Promise<void> {
  const desired: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: NAME, namespace: NAMESPACE },
    data: { baseOSContainerImage: osImage, releaseVersion: version },
  };
  await kube.apply(configMap, desired);
}
