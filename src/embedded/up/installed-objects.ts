/**
 * Objects that the installer of a cluster creates: the ConfigMap with the OS image, a list of the OS images in the registry,
 * the speed of the machines, and the Image `cluster`, which administrators patch.
 */

import { type Image, image, NAMESPACE, SANDBOX_TIMES_CONFIG_MAP } from '../../api/index.ts';
import type { Kube } from '../../kubernetes/client/index.ts';
import { apiVersionOf } from '../../kubernetes/meta/index.ts';
import { type ConfigMap, configMap } from '../../kubernetes/types/index.ts';

type Release = {
  /** The first is the one of the release. */
  readonly osImages: readonly [OsImage, ...OsImage[]];
  readonly version: string;
  /** Divides the durations of machines. */
  readonly speed: number;
};

type OsImage = { readonly version: string; readonly reference: string };

export async function applyInstalledObjects(kube: Kube, release: Release): Promise<void> {
  await applyOsImageConfigMap(kube, release);
  await applyImageList(kube, release);
  await applyTimes(kube, release);
  await createImageSettings(kube);
}

const OS_IMAGE_CONFIG_MAP = { name: 'machine-config-osimageurl', namespace: NAMESPACE };
/** Keys that administrators may set. */
const OPTIONAL_KEYS = ['osImageURL', 'baseOSExtensionsContainerImage'] as const;

/**
 * It has upstream's four keys. `osImageURL` takes precedence over the image of the release: it is empty until an
 * administrator sets it, and then kept.
 */
async function applyOsImageConfigMap(kube: Kube, { osImages, version }: Release): Promise<void> {
  const existing = await kube.get(configMap, OS_IMAGE_CONFIG_MAP);
  // Not applied where it is set: the value would be overwritten.
  const unset = OPTIONAL_KEYS.filter((key) => !existing?.data?.[key]);
  const desired: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: OS_IMAGE_CONFIG_MAP,
    data: {
      baseOSContainerImage: osImages[0].reference,
      releaseVersion: version,
      ...Object.fromEntries(unset.map((key) => [key, ''])),
    },
  };
  await kube.apply(configMap, desired);
}

const IMAGE_LIST = { name: 'sandbox-os-images', namespace: NAMESPACE };

/** For users who try OS updates: by version. */
async function applyImageList(kube: Kube, { osImages }: Release): Promise<void> {
  const data = Object.fromEntries(osImages.map(({ version, reference }) => [version, reference]));
  const list: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: IMAGE_LIST, data };
  await kube.apply(configMap, list);
}

/** For `millwright simulate`: how long things take on these machines. */
async function applyTimes(kube: Kube, { speed }: Release): Promise<void> {
  const metadata = { name: SANDBOX_TIMES_CONFIG_MAP, namespace: NAMESPACE };
  const times: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { speed: String(speed) } };
  await kube.apply(configMap, times);
}

async function createImageSettings(kube: Kube): Promise<void> {
  const metadata = { name: 'cluster' };
  if ((await kube.get(image, metadata)) !== undefined) return;
  const created: Image = { apiVersion: apiVersionOf(image), kind: image.kind, metadata, spec: {} };
  await kube.create(image, created);
}
