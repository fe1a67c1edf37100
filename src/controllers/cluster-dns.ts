/**
 * The DNS of the cluster in the ControllerConfig, from which kubelets get it. `clusterDns` decides; it follows the objects that it
 * was found in, and a change is rolled out as any other.
 */
import type { ControllerConfig, ControllerConfigSpec } from '../api/index.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { objectAt, stringAt } from '../base/json-fields.ts';
import { clusterDns, DEFAULT_CLUSTER_DOMAIN, DNS_SERVICE_LABEL } from '../config/render/index.ts';
import type { Cache } from '../kubernetes/client/index.ts';
import {
  type ConfigMap,
  configMap as configMapKind,
  type Service,
  service as serviceKind,
} from '../kubernetes/types/index.ts';
import type { Context } from './context.ts';

const NAMESPACE = 'kube-system';
const KUBEADM_CONFIG = { namespace: NAMESPACE, name: 'kubeadm-config' };
const CORE_DNS_CONFIG = { namespace: NAMESPACE, name: 'coredns' };

/** Empty where the DNS is not looked for. */
export type ClusterDnsCaches = {
  readonly dnsServices?: Cache<Service>;
  readonly kubeadmConfigs?: Cache<ConfigMap>;
  readonly coreDnsConfigs?: Cache<ConfigMap>;
};

export function clusterDnsCaches({
  caches,
  settings,
}: Pick<Context, 'caches' | 'settings'>): ClusterDnsCaches {
  if (settings.clusterDns === undefined) return {};
  const named = (name: string) => ({ namespace: NAMESPACE, fieldSelector: `metadata.name=${name}` });
  return {
    dnsServices: caches.of(serviceKind, { namespace: NAMESPACE, labelSelector: DNS_SERVICE_LABEL }),
    kubeadmConfigs: caches.of(configMapKind, named(KUBEADM_CONFIG.name)),
    coreDnsConfigs: caches.of(configMapKind, named(CORE_DNS_CONFIG.name)),
  };
}

type DnsFields = {
  readonly fields: Partial<Pick<ControllerConfigSpec, 'clusterDNSIP' | 'dns'>>;
  readonly problem?: string;
};

export function clusterDnsFields(
  { settings }: Pick<Context, 'settings'>,
  { dnsServices, kubeadmConfigs, coreDnsConfigs }: ClusterDnsCaches,
  existing: ControllerConfig | undefined,
): DnsFields {
  if (settings.clusterDns === undefined) return { fields: {} };
  const before = {
    address: existing?.spec.clusterDNSIP ?? '',
    domain: stringAt(existing?.spec.dns, ...CLUSTER_DOMAIN),
  };
  const { address, domain, problem } = clusterDns({
    given: settings.clusterDns,
    before,
    services: [...(dnsServices?.all() ?? [])],
    kubeadmConfig: kubeadmConfigs?.get(KUBEADM_CONFIG),
    coreDnsConfig: coreDnsConfigs?.get(CORE_DNS_CONFIG),
  });
  // The usual domain is what kubelets get without one.
  const isUsual = (domain === '' || domain === DEFAULT_CLUSTER_DOMAIN) && before.domain === '';
  const dns = isUsual ? {} : { dns: withDomain(existing?.spec.dns, domain) };
  return { fields: { clusterDNSIP: address, ...dns }, ...(problem === undefined ? {} : { problem }) };
}

const CLUSTER_DOMAIN = ['status', 'clusterDomain'] as const;

/** The kind is OpenShift's, which has the domain there. What others have written beside it stays. */
function withDomain(dns: unknown, clusterDomain: string): NonNullable<ControllerConfigSpec['dns']> {
  const kept: JsonObject = isJsonObject(dns as Json) ? (dns as JsonObject) : EMPTY_DNS;
  return { spec: {}, ...kept, status: { ...objectAt(kept, 'status'), clusterDomain } };
}

const EMPTY_DNS = {
  apiVersion: 'config.openshift.io/v1',
  kind: 'DNS',
  metadata: { name: 'cluster' },
} as const;
