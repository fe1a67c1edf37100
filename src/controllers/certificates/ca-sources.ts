/** The ConfigMaps with CA bundles: of a name each, so that no others have to be accessible. */
import {
  type ClusterProxy,
  CONFIG_NAMESPACE,
  KUBECONFIG_DATA,
  MANAGED_CONFIG_NAMESPACE,
  proxy as proxyKind,
} from '../../api/index.ts';
import { quoted } from '../../base/text/index.ts';
import {
  CLIENT_CA,
  CLOUD_CONFIG,
  caBundles,
  KUBELET_CLIENT_CA,
  ROOT_CA,
  SERVER_CA_BUNDLE,
  USER_CA_BUNDLE,
} from '../../certificates/index.ts';
import { type Finding, referenceTo } from '../../config/registries/index.ts';
import type { Cache, Caches } from '../../kubernetes/client/index.ts';
import { type ConfigMap, configMap as configMapKind } from '../../kubernetes/types/index.ts';

const SYSTEM_NAMESPACE = 'kube-system';

export type CaCaches = {
  readonly kubeletClientCas: Cache<ConfigMap>;
  readonly cloudConfigs: Cache<ConfigMap>;
  readonly clientCas: Cache<ConfigMap>;
  readonly rootCas: Cache<ConfigMap>;
  readonly serverCas: Cache<ConfigMap>;
  readonly kubeconfigData: Cache<ConfigMap>;
};

/** `namespace`: of the components. */
export function caCaches(caches: Caches, namespace: string): CaCaches {
  const only = (place: string, name: string) =>
    caches.of(configMapKind, { namespace: place, fieldSelector: `metadata.name=${name}` });
  return {
    kubeletClientCas: only(MANAGED_CONFIG_NAMESPACE, KUBELET_CLIENT_CA),
    cloudConfigs: only(MANAGED_CONFIG_NAMESPACE, CLOUD_CONFIG),
    clientCas: only(SYSTEM_NAMESPACE, CLIENT_CA),
    rootCas: only(SYSTEM_NAMESPACE, ROOT_CA),
    serverCas: only(MANAGED_CONFIG_NAMESPACE, SERVER_CA_BUNDLE),
    kubeconfigData: only(namespace, KUBECONFIG_DATA),
  };
}

/** `proxy`: of the cluster, where there is one. `userConfigMaps`: all of the namespace that administrators configure the cluster in. */
export function caBundlesOf(
  sources: CaCaches & { readonly userConfigMaps: Cache<ConfigMap> },
  { isKubeletsOwn, proxy }: { readonly isKubeletsOwn: boolean; readonly proxy: ClusterProxy | undefined },
) {
  const [managed, system] = [MANAGED_CONFIG_NAMESPACE, SYSTEM_NAMESPACE];
  const [kubeconfigData] = sources.kubeconfigData.all();
  const userMap = (name: string) => sources.userConfigMaps.get({ name, namespace: CONFIG_NAMESPACE });
  const trusted = proxy?.spec?.trustedCA?.name ?? '';
  const proxyBundle = trusted === '' ? undefined : (userMap(trusted) ?? 'missing');
  const bundles = caBundles({
    kubeletClientCa: sources.kubeletClientCas.get({ name: KUBELET_CLIENT_CA, namespace: managed }),
    cloudConfig: sources.cloudConfigs.get({ name: CLOUD_CONFIG, namespace: managed }),
    userBundle: userMap(USER_CA_BUNDLE),
    ...(proxy && { proxy: { bundle: proxyBundle } }),
    clientCa: sources.clientCas.get({ name: CLIENT_CA, namespace: system }),
    rootCa: sources.rootCas.get({ name: ROOT_CA, namespace: system }),
    serverCa: sources.serverCas.get({ name: SERVER_CA_BUNDLE, namespace: managed }),
    kubeconfigData,
    isKubeletsOwn,
  });
  return { bundles, findings: proxyBundle === 'missing' && proxy ? [missingBundle(proxy, trusted)] : [] };
}

function missingBundle(proxy: ClusterProxy, name: string): Finding {
  const message = `ConfigMap ${quoted(name)} of spec.trustedCA does not exist in the namespace ${CONFIG_NAMESPACE}: create it there, or remove the field; until then nodes keep the CAs that they trust`;
  return { about: referenceTo(proxyKind, proxy.metadata), reason: 'InvalidProxyConfig', message };
}
