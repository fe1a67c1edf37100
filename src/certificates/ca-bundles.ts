/**
 * The CA bundles of the ControllerConfig, from the ConfigMaps that have them: by OpenShift's names where these exist, otherwise from
 * where every Kubernetes cluster has them. docs/synced-files.md lists them.
 */
import type { ControllerConfigSpec } from '../api/index.ts';
import { stringAt } from '../base/json-fields.ts';
import { base64Bytes, base64Text, joinPemBundles } from '../base/text/index.ts';
import type { ConfigMap } from '../kubernetes/types/index.ts';

/** Of `openshift-config-managed`. */
export const KUBELET_CLIENT_CA = 'kube-apiserver-client-ca';
export const CLOUD_CONFIG = 'kube-cloud-config';
export const SERVER_CA_BUNDLE = 'kube-apiserver-server-ca';
/** Of `openshift-config`. */
export const USER_CA_BUNDLE = 'user-ca-bundle';
/** Of `kube-system`. */
export const CLIENT_CA = 'extension-apiserver-authentication';
export const ROOT_CA = 'kube-root-ca.crt';

type CaSources = {
  readonly kubeletClientCa: ConfigMap | undefined;
  readonly cloudConfig: ConfigMap | undefined;
  readonly userBundle: ConfigMap | undefined;
  /** Where the cluster has a Proxy: the ConfigMap that it names, if any. */
  readonly proxy?: { readonly bundle: ConfigMap | 'missing' | undefined } | undefined;
  readonly clientCa: ConfigMap | undefined;
  readonly rootCa: ConfigMap | undefined;
  /** OpenShift's, in place of the one above. */
  readonly serverCa: ConfigMap | undefined;
  /** Of an administrator whose nodes reach the API server by another certificate, as behind a load balancer. */
  readonly kubeconfigData: ConfigMap | undefined;
  /** Without base configs the client CA is up to the kubelet, unless it is given by OpenShift's name. */
  readonly isKubeletsOwn: boolean;
};

type CaBundles = Pick<ControllerConfigSpec, 'kubeAPIServerServingCAData' | 'rootCAData'> &
  Partial<Pick<ControllerConfigSpec, 'cloudProviderCAData' | 'additionalTrustBundle'>>;

/** Required fields without a bundle have a newline: the server does not accept an empty string as base64. */
export const NO_BUNDLE = btoa('\n');

/** Optional bundles are absent where their ConfigMap is: the field keeps what it has. */
export function caBundles(sources: CaSources): CaBundles {
  const { kubeletClientCa, cloudConfig, clientCa, isKubeletsOwn } = sources;
  const ofKubelet = isKubeletsOwn ? undefined : bundleOf(clientCa, 'client-ca-file');
  return {
    kubeAPIServerServingCAData: bundleOf(kubeletClientCa, 'ca-bundle.crt') ?? ofKubelet ?? NO_BUNDLE,
    rootCAData: serverAuthorities(sources) ?? NO_BUNDLE,
    ...(cloudConfig && { cloudProviderCAData: bundleOf(cloudConfig, 'ca-bundle.pem') ?? null }),
    ...usersAuthorities(sources),
  };
}

/** Those of the administrator, and those that the Proxy of the cluster needs. Where one is missing the field keeps what it has. */
function usersAuthorities({ userBundle, proxy }: CaSources): Pick<CaBundles, 'additionalTrustBundle'> {
  const bundle = proxy?.bundle;
  if (bundle === 'missing' || (userBundle === undefined && proxy === undefined)) return {};
  const texts = [userBundle, bundle].map((one) => textOf(one, 'ca-bundle.crt'));
  const all = texts.filter((text) => text !== undefined);
  return { additionalTrustBundle: all.length === 0 ? null : inBase64(joinPemBundles(all)) };
}

/** By which nodes know the API server. */
function serverAuthorities({ rootCa, serverCa, kubeconfigData }: CaSources): string | undefined {
  const ofCluster = textOf(serverCa, 'ca-bundle.crt') ?? textOf(rootCa, 'ca.crt');
  const all = [textOf(kubeconfigData, 'ca-bundle.crt'), ofCluster].filter((text) => text !== undefined);
  return all.length === 0 ? undefined : inBase64(joinPemBundles(all));
}

/** In base64; undefined where there is nothing in it. */
function bundleOf(configMap: ConfigMap | undefined, key: string): string | undefined {
  const text = textOf(configMap, key);
  return text === undefined ? undefined : inBase64(text);
}

/** Upstream's operator writes some of them as bytes. */
function textOf(configMap: ConfigMap | undefined, key: string): string | undefined {
  const bytes = base64Bytes(stringAt(configMap?.binaryData, key));
  const text = new TextDecoder().decode(bytes) || stringAt(configMap?.data, key);
  return text.trim() === '' ? undefined : text;
}

function inBase64(text: string): string {
  return base64Text(new TextEncoder().encode(text));
}
