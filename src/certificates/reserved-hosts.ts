/**
 * Hosts that are never the address of one node alone. With a certificate for one of them a kubelet could pose as the host
 * itself or as a Service, such as the API server inside of the cluster.
 */
import { containsAddress, parseAddress, parseNetwork } from '../base/text/index.ts';

/** What is wrong with the host, in lower case, as the address of a node. */
export function reservedHost(host: string): string | undefined {
  const address = parseAddress(host);
  if (address === undefined) return reservedName(host);
  for (const [network, what] of NETWORKS) {
    const range = parseNetwork(network);
    if (range !== undefined && containsAddress(range, address)) return `is ${what}`;
  }
  return undefined;
}

const NETWORKS = [
  ['0.0.0.0/8', 'an unspecified address'],
  ['127.0.0.0/8', 'an address of the host itself'],
  ['169.254.0.0/16', 'a link-local address'],
  ['224.0.0.0/4', 'a multicast address'],
  ['255.255.255.255/32', 'the broadcast address'],
  ['::/128', 'an unspecified address'],
  ['::1/128', 'an address of the host itself'],
  ['fe80::/10', 'a link-local address'],
  ['ff00::/8', 'a multicast address'],
] as const;

function reservedName(name: string): string | undefined {
  const labels = name.split('.');
  if (labels.at(-1) === 'localhost') return 'is a name of the host itself';
  const [service, namespace, suffix] = labels;
  const isApiServer = service === 'kubernetes' && (namespace === undefined || namespace === 'default');
  return isApiServer || suffix === 'svc' ? 'is a name of a Service' : undefined;
}
