/**
 * The CAs that builds trust beside those of their system: the bundle of the cluster for everything, and the bundles of registries,
 * each for its own registry. Both are in the ControllerConfig.
 */
import { type ControllerConfigSpec, registryOfBundle } from '../../api/index.ts';
import { stringAt } from '../../base/json-fields.ts';
import { base64Bytes } from '../../base/text/index.ts';

/** Keys of the ConfigMap that build pods get, in base64. Upstream has the first one alone. */
export const CLUSTER_BUNDLE = 'openshift-config-user-ca-bundle.crt';
const REGISTRY_PREFIX = 'registry-ca-';

/** ConfigMaps hold 1 MiB, with names and other fields. */
const MAX_BYTES = 768 * 1024;

/** In PEM format; undefined where there are none. `registry`: `host` or `host:port`. */
export function trustedAuthorities(
  spec: ControllerConfigSpec | undefined,
  registry: string,
): string | undefined {
  const texts = [clusterBundle(spec), registryBundles(spec).get(registry) ?? ''].map(decoded);
  const found = texts.filter((text) => text !== '');
  return found.length === 0 ? undefined : found.join('\n');
}

/** Where they do not all fit, those of the named registries come first. */
export function authorityFiles(
  spec: ControllerConfigSpec | undefined,
  first: readonly string[],
): { readonly [key: string]: string } {
  const files: { [key: string]: string } = { [CLUSTER_BUNDLE]: clusterBundle(spec) };
  let bytes = clusterBundle(spec).length;
  const all = [...registryBundles(spec)];
  const isFirst = ([registry]: readonly [string, string]) => first.includes(registry);
  for (const [registry, data] of [...all.filter(isFirst), ...all.filter((one) => !isFirst(one))]) {
    if (bytes + data.length > MAX_BYTES) continue;
    bytes += data.length;
    files[`${REGISTRY_PREFIX}${registry.replace(':', '..')}`] = data;
  }
  return files;
}

/** The registry of a key of `authorityFiles`. */
export function registryOfAuthorityFile(key: string): string | undefined {
  return key.startsWith(REGISTRY_PREFIX) ? registryOfBundle(key.slice(REGISTRY_PREFIX.length)) : undefined;
}

function clusterBundle(spec: ControllerConfigSpec | undefined): string {
  return stringAt(spec, 'additionalTrustBundle');
}

/** In base64. The list of users is last: it wins, as on nodes. */
function registryBundles(spec: ControllerConfigSpec | undefined): ReadonlyMap<string, string> {
  const bundles = [...(spec?.imageRegistryBundleData ?? []), ...(spec?.imageRegistryBundleUserData ?? [])];
  return new Map(
    bundles.flatMap(({ file, data }) => {
      const registry = registryOfBundle(file);
      return registry === undefined || base64Bytes(data) === undefined ? [] : [[registry, data] as const];
    }),
  );
}

function decoded(base64: string): string {
  return new TextDecoder().decode(base64Bytes(base64) ?? new Uint8Array()).trim();
}
