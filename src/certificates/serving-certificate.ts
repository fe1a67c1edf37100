/**
 * Whether the request of a kubelet for its serving certificate is approved.
 *
 *     who asks        `system:node:NAME` in the group `system:nodes`
 *     subject         exactly this name, and the organization `system:nodes`
 *     usages          exactly those of a server
 *     hosts           at least one; each an address of Node NAME, none of another node, of this host or of a Service
 *     Node NAME       exists and is in a pool
 *
 * All other requests are left as they are, with the reason: never denied, because a person may know better, and because a
 * Node whose addresses are not known yet would be denied for good.
 *
 * The kubelet writes the addresses of its own Node. They are what Kubernetes trusts for the same purpose; that another Node
 * has the address too, or that it is one of a Service, is what the cluster can know better.
 */
import { parseAddress } from '../base/text/index.ts';
import type { CertificateSigningRequest, Node } from '../kubernetes/types/index.ts';
import { type CertificateRequest, canonicalAddress } from './certificate-request.ts';
import {
  isDecided,
  membershipProblem,
  NODE_GROUP,
  NODE_USER,
  organizationProblem,
  parsedRequest,
  requestingNode,
  senderProblem,
  shown,
  usagesProblem,
  type Verdict,
} from './kubelet-request.ts';
import { reservedHost } from './reserved-hosts.ts';

export const KUBELET_SERVING_SIGNER = 'kubernetes.io/kubelet-serving';

type Situation = {
  readonly csr: CertificateSigningRequest;
  /** The Node of the requesting kubelet, see `requestingNode`. */
  readonly node: Node | undefined;
  readonly isInPool: boolean;
  /** The other Node that has this address, if there is one. */
  readonly otherNodeWith: (address: string) => string | undefined;
  /** Addresses of the API server that no kubelet may have a certificate for. */
  readonly apiServerHosts: readonly string[];
};

export function decideServingCertificate(situation: Situation): Verdict {
  const { csr, node, isInPool } = situation;
  if (csr.spec.signerName !== KUBELET_SERVING_SIGNER || isDecided(csr)) return { kind: 'none' };
  const request = requesterProblem(csr) ?? usagesProblem(csr.spec, 'server') ?? parsedRequest(csr);
  if (typeof request === 'string') return { kind: 'leave', why: request, mayChange: false };
  const why = senderProblem(csr, request) ?? organizationProblem(request) ?? noHostProblem(request);
  if (why !== undefined) return { kind: 'leave', why, mayChange: false };
  const name = requestingNode(csr);
  const hosts = [...request.dnsNames, ...request.addresses];
  const about =
    membershipProblem(name, { exists: node !== undefined, isInPool }) ??
    first(hosts.map((host) => hostProblem(host, situation)));
  if (about !== undefined) return { kind: 'leave', why: about, mayChange: true };
  const message = `The request is of the kubelet of Node ${name}, for addresses of this Node alone.`;
  return { kind: 'approve', node: name, hosts, reason: 'KubeletServingCertificate', message };
}

/** All addresses and names of a node, in canonical form. */
export function addressesOf(node: Node): readonly string[] {
  return (node.status?.addresses ?? [])
    .filter(({ type }) => ADDRESS_TYPES.has(type))
    .map(({ address }) => canonicalHost(address));
}

const ADDRESS_TYPES: ReadonlySet<string> = new Set([
  'InternalIP',
  'ExternalIP',
  'Hostname',
  'InternalDNS',
  'ExternalDNS',
]);

function requesterProblem(csr: CertificateSigningRequest): string | undefined {
  if (requestingNode(csr) !== '') return undefined;
  return `it was sent by ${shown(csr.spec.username ?? '')}, which is not the kubelet of a node (user ${NODE_USER}NAME in the group ${NODE_GROUP})`;
}

function noHostProblem({ dnsNames, addresses }: CertificateRequest): string | undefined {
  return dnsNames.length + addresses.length === 0 ? 'it names no host' : undefined;
}

function hostProblem(host: string, { node, otherNodeWith, apiServerHosts }: Situation): string | undefined {
  const address = canonicalHost(host);
  const reserved = apiServerHosts.some((one) => canonicalHost(one) === address)
    ? 'is an address of the API server'
    : reservedHost(address);
  if (reserved !== undefined) return `${shown(host)} ${reserved}`;
  if (node === undefined || !addressesOf(node).includes(address)) {
    return `${shown(host)} is not among the addresses of the Node`;
  }
  const other = otherNodeWith(address);
  return other === undefined ? undefined : `${shown(host)} is also an address of Node ${shown(other)}`;
}

function canonicalHost(host: string): string {
  const address = parseAddress(host);
  return address === undefined ? host.toLowerCase() : canonicalAddress(address);
}

function first<T>(items: readonly (T | undefined)[]): T | undefined {
  return items.find((item) => item !== undefined);
}
