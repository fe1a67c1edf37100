/**
 * CA bundles of registries, as they are in the ControllerConfig and in the ConfigMaps that it is filled from.
 */
import type { ControllerConfigSpec } from './controller-config.ts';

export type RegistryBundle = NonNullable<ControllerConfigSpec['imageRegistryBundleUserData']>[number];

/** ConfigMaps with the CAs of registries: that of Image `cluster` is named there, the other is the cluster's own. */
export const CONFIG_NAMESPACE = 'openshift-config';
export const MANAGED_CONFIG_NAMESPACE = 'openshift-config-managed';
export const IMAGE_REGISTRY_CA = 'image-registry-ca';

const LABEL = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const HOST = new RegExp(`^${LABEL}(?:\\.${LABEL})*(?::([0-9]{1,5}))?$`);
/** File names have at most 255 bytes; the difference is for the suffix of a temporary name. */
const MAX_HOST_CHARS = 240;
const MAX_PORT = 65_535;

/**
 * The registry of a bundle, `host` or `host:port`, from its key, in which `..` stands for the colon. Undefined where it is
 * none: it becomes the name of a folder on every node.
 */
export function registryOfBundle(file: string): string | undefined {
  const registry = file.replaceAll('..', ':');
  if (registry.length > MAX_HOST_CHARS) return undefined;
  const found = HOST.exec(registry);
  if (found === null) return undefined;
  const port = found[1] === undefined ? 1 : Number(found[1]);
  return port >= 1 && port <= MAX_PORT ? registry : undefined;
}
