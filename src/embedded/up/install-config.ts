/**
 * What an installer leaves in a cluster: which OS its nodes should have.
 */

import { NAMESPACE } from '../../api/index.ts';
import type { Kube } from '../../kubernetes/client/index.ts';
import { type ConfigMap, configMap } from '../../kubernetes/types/index.ts';

const NAME = 'machine-config-osimageurl';

/** Only these keys are ours: what somebody has added, such as `osImageURL`, stays and wins. */
export async function provideOsImage(
  kube: Kube,
  { osImage, version }: { readonly osImage: string; readonly version: string },
): Promise<void> {
  const wanted: ConfigMap = {
    ...{ apiVersion: 'v1', kind: 'ConfigMap' },
    metadata: { name: NAME, namespace: NAMESPACE },
    data: { baseOSContainerImage: osImage, releaseVersion: version },
  };
  await kube.apply(configMap, wanted);
}
