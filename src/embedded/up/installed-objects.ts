/**
 * Objects that the installer of a cluster creates: the ConfigMap with the OS image, and the Image `cluster`, which
 * administrators patch.
 */

import { type Image, image, NAMESPACE } from '../../api/index.ts';
import type { Kube } from '../../kubernetes/client/index.ts';
import { apiVersionOf } from '../../kubernetes/meta/index.ts';
import { type ConfigMap, configMap } from '../../kubernetes/types/index.ts';

type Release = { readonly osImage: string; readonly version: string };

export async function applyInstalledObjects(kube: Kube, release: Release): Promise<void> {
  await applyOsImageConfigMap(kube, release);
  await createImageSettings(kube);
}

const OS_IMAGE_CONFIG_MAP = { name: 'machine-config-osimageurl', namespace: NAMESPACE };
/** Keys that administrators may set. */
const OPTIONAL_KEYS = ['osImageURL', 'baseOSExtensionsContainerImage'] as const;

/**
 * It has upstream's four keys. `osImageURL` takes precedence over the image of the release: it is empty until an
 * administrator sets it, and then kept.
 */
async function applyOsImageConfigMap(kube: Kube, { osImage, version }: Release): Promise<void> {
  const existing = await kube.get(configMap, OS_IMAGE_CONFIG_MAP);
  // Not applied where it is set: the value would be overwritten.
  const unset = OPTIONAL_KEYS.filter((key) => !existing?.data?.[key]);
  const desired: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: OS_IMAGE_CONFIG_MAP,
    data: {
      baseOSContainerImage: osImage,
      releaseVersion: version,
      ...Object.fromEntries(unset.map((key) => [key, ''])),
    },
  };
  await kube.apply(configMap, desired);
}

async function createImageSettings(kube: Kube): Promise<void> {
  const metadata = { name: 'cluster' };
  if ((await kube.get(image, metadata)) !== undefined) return;
  const created: Image = { apiVersion: apiVersionOf(image), kind: image.kind, metadata, spec: {} };
  await kube.create(image, created);
}
