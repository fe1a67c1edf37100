/**
 * The paths of the files on a node.
 */

export const REGISTRIES_CONF_PATH = '/etc/containers/registries.conf';
export const POLICY_PATH = '/etc/containers/policy.json';
export const SIGSTORE_REGISTRIES_PATH = '/etc/containers/registries.d/sigstore-registries.yaml';
export const SEARCH_REGISTRIES_PATH = '/etc/containers/registries.conf.d/01-image-searchRegistries.conf';

/** CRI-O's signature policies per namespace. */
export function namespacePolicyPath(namespace: string): string {
  return `/etc/crio/policies/${namespace}.json`;
}
