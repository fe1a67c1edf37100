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
import { base64Bytes, parseAddress } from '../base/text/index.ts';
import type { CertificateSigningRequest, Node } from '../kubernetes/types/index.ts';
import { type CertificateRequest, canonicalAddress, parseCertificateRequest } from './certificate-request.ts';
import { reservedHost } from './reserved-hosts.ts';

export const KUBELET_SERVING_SIGNER = 'kubernetes.io/kubelet-serving';

const NODE_USER = 'system:node:';
const NODE_GROUP = 'system:nodes';

/** Kubelets ask for key encipherment with an RSA key only. */
const USAGES: readonly string[] = ['digital signature', 'server auth'];
const USAGE_OF_RSA = 'key encipherment';

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

export type Verdict =
  /** Of another signer, or decided already. */
  | { readonly kind: 'none' }
  | { readonly kind: 'approve'; readonly hosts: readonly string[] }
  /** `mayChange`: with the Node, so that it is decided again then. */
  | { readonly kind: 'leave'; readonly why: string; readonly mayChange: boolean };

export function decideServingCertificate(situation: Situation): Verdict {
  const { csr } = situation;
  const isDecided = (csr.status?.conditions ?? []).length > 0 || (csr.status?.certificate ?? '') !== '';
  if (csr.spec.signerName !== KUBELET_SERVING_SIGNER || isDecided) return { kind: 'none' };
  const request = requestProblem(csr) ?? parsedRequest(csr);
  if (typeof request === 'string') return { kind: 'leave', why: request, mayChange: false };
  const why = subjectProblem(csr, request);
  if (why !== undefined) return { kind: 'leave', why, mayChange: false };
  const hosts = [...request.dnsNames, ...request.addresses];
  const about = nodeProblem(situation) ?? first(hosts.map((host) => hostProblem(host, situation)));
  return about === undefined ? { kind: 'approve', hosts } : { kind: 'leave', why: about, mayChange: true };
}

/** The name of the Node that sent it; empty where none did. */
export function requestingNode({ spec }: CertificateSigningRequest): string {
  const { username = '', groups = [] } = spec;
  const isNode = username.startsWith(NODE_USER) && groups.includes(NODE_GROUP);
  return isNode ? username.slice(NODE_USER.length) : '';
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

function requestProblem(csr: CertificateSigningRequest): string | undefined {
  const { usages = [], username = '' } = csr.spec;
  if (requestingNode(csr) === '') {
    return `it was sent by ${shown(username)}, which is not the kubelet of a node (user ${NODE_USER}NAME in the group ${NODE_GROUP})`;
  }
  const others = usages.filter((usage) => usage !== USAGE_OF_RSA).toSorted();
  const isExact = others.length === USAGES.length && USAGES.every((usage, index) => others[index] === usage);
  const isTwice = usages.length > others.length + 1;
  if (isExact && !isTwice) return undefined;
  return `its usages are ${shown(usages.join(', '))}, not those of a server: ${USAGES.join(', ')}, and ${USAGE_OF_RSA} with RSA`;
}

function parsedRequest({ spec }: CertificateSigningRequest): CertificateRequest | string {
  const bytes = base64Bytes(spec.request);
  return bytes === undefined
    ? 'its request is not base64'
    : parseCertificateRequest(new TextDecoder('latin1').decode(bytes));
}

function subjectProblem(csr: CertificateSigningRequest, request: CertificateRequest): string | undefined {
  const { username = '' } = csr.spec;
  const { commonNames, organizations, dnsNames, addresses } = request;
  if (commonNames.length !== 1 || commonNames[0] !== username) {
    return `it is for ${shown(commonNames.join(', '))}, and was sent by ${shown(username)}`;
  }
  if (organizations.length !== 1 || organizations[0] !== NODE_GROUP) {
    return `its organization is ${shown(organizations.join(', '))}, not ${NODE_GROUP}`;
  }
  return dnsNames.length + addresses.length === 0 ? 'it names no host' : undefined;
}

function nodeProblem({ csr, node, isInPool }: Situation): string | undefined {
  const name = shown(requestingNode(csr));
  if (node === undefined) return `there is no Node ${name}`;
  return isInPool ? undefined : `Node ${name} is in no pool`;
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

const MAX_SHOWN_CHARACTERS = 253;

/** Quoted, because others choose the text, and not longer than a name can be. */
function shown(text: string): string {
  return JSON.stringify(
    text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text,
  );
}
