/**
 * The DNS of the cluster, which kubelets write into pods: its address and its domain, found in the objects that installers leave.
 *
 *     address   given, else the Service `kube-dns` of kube-system, else the only other one there with the label k8s-app=kube-dns
 *     domain    given, else `networking.dnsDomain` of kubeadm's ConfigMap, else the zone in the Corefile of CoreDNS
 *
 * What was known stays where nothing is found: a Service that is replaced must not take the DNS away from all nodes.
 */
import type { Json } from '../../base/json.ts';
import { stringAt } from '../../base/json-fields.ts';
import { parseAddress } from '../../base/text/index.ts';
import { parseYaml } from '../../base/yaml/index.ts';
import { checkDnsSubdomain, nameOf } from '../../kubernetes/meta/index.ts';
import type { ConfigMap, Service } from '../../kubernetes/types/index.ts';

type ClusterDns = {
  /** Empty where it is not known. */
  readonly address: string;
  readonly domain: string;
};

export type ClusterDnsSources = {
  /** By the administrator. */
  readonly given: Partial<ClusterDns>;
  readonly before: ClusterDns;
  /** Those of kube-system with the label of the DNS. */
  readonly services: readonly Service[];
  readonly kubeadmConfig: ConfigMap | undefined;
  readonly coreDnsConfig: ConfigMap | undefined;
};

type FoundClusterDns = ClusterDns & {
  /** Why no address was found. */
  readonly problem?: string;
};

export const DNS_SERVICE_LABEL = 'k8s-app=kube-dns';
const DNS_SERVICE = 'kube-dns';

export function clusterDns({ given, before, ...sources }: ClusterDnsSources): FoundClusterDns {
  const domain = given.domain ?? (kubeadmDomain(sources) || corefileDomain(sources) || before.domain);
  if (given.address !== undefined) return { address: given.address, domain };
  const usable = sources.services.filter((service) => addressOf(service) !== '');
  const named = usable.find((service) => nameOf(service) === DNS_SERVICE);
  const [only, ...others] = usable;
  const found = named ?? (others.length === 0 ? only : undefined);
  if (found !== undefined) return { address: addressOf(found), domain };
  return { address: before.address, domain, problem: problemWith(usable, before) };
}

/** Without those of headless Services (`None`) and of ones that have none yet. */
function addressOf({ spec }: Service): string {
  const address = spec.clusterIP ?? '';
  return parseAddress(address) === undefined ? '' : address;
}

const HOW_TO_GIVE = 'give it to the operator with --cluster-dns';

function problemWith(usable: readonly Service[], { address }: ClusterDns): string {
  const names = usable.map(nameOf).toSorted();
  const why =
    names.length === 0
      ? `there is no Service of the cluster DNS in kube-system (label ${DNS_SERVICE_LABEL})`
      : `several Services in kube-system have the label ${DNS_SERVICE_LABEL} (${names.slice(0, 5).join(', ')}) and none is named ${DNS_SERVICE}`;
  return address === ''
    ? `${why}: kubelets get no clusterDNS, and pods that start on their nodes cannot resolve the names of Services: ${HOW_TO_GIVE}`
    : `${why}: kubelets keep ${address}; if that is not the DNS any more, ${HOW_TO_GIVE}`;
}

/** `kubeadm-config` has it as YAML in a text. */
function kubeadmDomain({ kubeadmConfig }: Pick<ClusterDnsSources, 'kubeadmConfig'>): string {
  const parsed = parseYaml(kubeadmConfig?.data?.ClusterConfiguration ?? '');
  const value: Json | undefined = parsed.kind === 'ok' ? parsed.value[0]?.value : undefined;
  return validDomain(stringAt(value, 'networking', 'dnsDomain'));
}

/** `kubernetes cluster.local in-addr.arpa ip6.arpa {`: its zones, of which those for addresses are none. */
function corefileDomain({ coreDnsConfig }: Pick<ClusterDnsSources, 'coreDnsConfig'>): string {
  const [, zones = ''] =
    /^[ \t]*kubernetes[ \t]+([^\r\n{#]+)/m.exec(coreDnsConfig?.data?.Corefile ?? '') ?? [];
  return (
    zones
      .split(/[ \t]+/)
      .map(validDomain)
      .find((zone) => zone !== '' && !zone.endsWith('.arpa')) ?? ''
  );
}

function validDomain(text: string): string {
  const domain = text.replace(/\.$/, '');
  return checkDnsSubdomain(domain).length === 0 ? domain : '';
}
