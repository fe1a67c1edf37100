/**
 * Whether the request of a kubelet for its client certificate is approved: with it the kubelet is its node.
 *
 *                     the first one                               a renewal
 *     who asks        the ServiceAccount `node-bootstrapper`,     `system:node:NAME` in the group `system:nodes`
 *                     with its groups and no others
 *     subject         `system:node:NAME`, and the organization `system:nodes`; in a renewal the name of who asks
 *     usages          exactly those of a client
 *     hosts           none
 *     Node NAME       does not exist yet                          exists and is in a pool
 *     beside it       no other key has become NAME within the     -
 *                     last hour, and at most 100 others of that
 *                     hour have no Node yet
 *
 * All other requests are left as they are, with the reason, and never denied: a person may know better.
 *
 * All machines that join have the same token, so it proves nothing but that somebody was given it. What the rules add: who has it
 * becomes no node that exists, takes the name of no machine that is just joining, and becomes a few new nodes at a time, all of which
 * can be seen.
 */

import { BOOTSTRAP_ACCOUNT } from '../api/index.ts';
import { parseTimestamp } from '../base/text/index.ts';
import { checkDnsSubdomain } from '../kubernetes/meta/index.ts';
import type { CertificateSigningRequest, Node } from '../kubernetes/types/index.ts';
import type { CertificateRequest } from './certificate-request.ts';
import {
  asArgument,
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

export const KUBELET_CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';

/** How long an approved request is remembered; kube-controller-manager deletes it then. */
const RECENT_MS = 60 * 60_000;
/** Machines that join at the same time are seldom more; they only wait for one another. */
export const MAX_WITHOUT_NODE = 100;

/** A request that was approved, whoever sent and approved it. */
export type ApprovedRequest = {
  readonly name: string;
  /** The name of the Node that the certificate is for. */
  readonly node: string;
  readonly key: string;
  readonly atMs: number;
  /** Sent by the account of machines that join. */
  readonly isJoining: boolean;
};

type Situation = {
  readonly csr: CertificateSigningRequest;
  /** Of Millwright, with the account of machines that join. */
  readonly namespace: string;
  readonly nodeOf: (name: string) => Node | undefined;
  readonly isInPool: (node: Node) => boolean;
  /** Those of this signer, see `approvedRequest`. */
  readonly approved: () => readonly ApprovedRequest[];
  readonly nowMs: number;
};

export function decideClientCertificate(situation: Situation): Verdict {
  const { csr, namespace } = situation;
  if (csr.spec.signerName !== KUBELET_CLIENT_SIGNER || isDecided(csr)) return { kind: 'none' };
  const isFirst = isJoining(csr, namespace);
  // Requests of others are the business of others, such as those of `kubeadm join`.
  if (!isFirst && requestingNode(csr) === '') {
    return { kind: 'leave', why: otherSender(csr, namespace), mayChange: true };
  }
  const request = usagesProblem(csr.spec, 'client') ?? parsedRequest(csr);
  if (typeof request === 'string') return { kind: 'leave', why: request, mayChange: false };
  const why =
    (isFirst ? nodeNameProblem(request) : senderProblem(csr, request)) ??
    organizationProblem(request) ??
    hostsProblem(request);
  if (why !== undefined) return { kind: 'leave', why, mayChange: false };
  return isFirst ? decideFirst(request, situation) : decideRenewal(situation);
}

function decideFirst(request: CertificateRequest, { nodeOf, approved, nowMs }: Situation): Verdict {
  const node = nodeNameIn(request);
  if (nodeOf(node) !== undefined) {
    const why = `Node ${shown(node)} exists already; a machine that was installed anew joins once it is deleted (kubectl delete node ${node})`;
    return { kind: 'leave', why, mayChange: true };
  }
  const endMs = ({ atMs }: ApprovedRequest) => Math.min(atMs, nowMs) + RECENT_MS;
  const recent = approved().filter((one) => endMs(one) > nowMs);
  const other = recent.find((one) => one.node === node && one.key !== request.key);
  if (other !== undefined) {
    const why = `request ${shown(other.name)} for the same node was approved within the last hour, with another key; if that machine has lost its certificate: kubectl delete csr ${asArgument(other.name)}`;
    return { kind: 'leave', why, mayChange: true, untilMs: endMs(other) };
  }
  const absent = recent.filter((one) => one.isJoining && one.node !== node && nodeOf(one.node) === undefined);
  if (new Set(absent.map((one) => one.node)).size >= MAX_WITHOUT_NODE) {
    const why = `${MAX_WITHOUT_NODE} nodes whose certificates were approved within the last hour have not registered yet; the next one is approved when one of them has`;
    return { kind: 'leave', why, mayChange: true, untilMs: Math.min(...absent.map(endMs)) };
  }
  const message = `The request was sent with the token of machines that join, and there is no Node ${node} yet.`;
  return { kind: 'approve', node, hosts: [], reason: 'FirstKubeletClientCertificate', message };
}

function decideRenewal({ csr, nodeOf, isInPool }: Situation): Verdict {
  const name = requestingNode(csr);
  const node = nodeOf(name);
  const membership = { exists: node !== undefined, isInPool: node !== undefined && isInPool(node) };
  const why = membershipProblem(name, membership);
  if (why !== undefined) return { kind: 'leave', why, mayChange: true };
  const message = `The request is of the kubelet of Node ${name}, for a certificate of the same name.`;
  return { kind: 'approve', node: name, hosts: [], reason: 'KubeletClientCertificateRenewal', message };
}

/** `atMs`: where it is known to be approved before that can be seen. */
export function approvedRequest(
  csr: CertificateSigningRequest,
  { namespace, atMs = approvedAtMs(csr) }: { readonly namespace: string; readonly atMs?: number | undefined },
): ApprovedRequest | undefined {
  const request = atMs === undefined ? '' : parsedRequest(csr);
  if (atMs === undefined || typeof request === 'string' || nodeNameProblem(request) !== undefined) {
    return undefined;
  }
  const [node, { key }] = [nodeNameIn(request), request];
  return { name: csr.metadata.name, node, key, atMs, isJoining: isJoining(csr, namespace) };
}

function approvedAtMs({ metadata, status }: CertificateSigningRequest): number | undefined {
  const condition = status?.conditions?.find((one) => one.type === 'Approved' && one.status === 'True');
  if (condition === undefined) return undefined;
  const { lastUpdateTime, lastTransitionTime } = condition;
  return parseTimestamp(lastUpdateTime ?? lastTransitionTime ?? metadata.creationTimestamp ?? '') ?? 0;
}

/** As the server authenticates the token: a user of this name that is also in others was impersonated. */
function isJoining({ spec }: CertificateSigningRequest, namespace: string): boolean {
  const { username, groups = [] } = spec;
  const own = ['system:authenticated', 'system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  const given = new Set(groups);
  return (
    username === joiningUser(namespace) && given.size === own.length && own.every((one) => given.has(one))
  );
}

const joiningUser = (namespace: string) => `system:serviceaccount:${namespace}:${BOOTSTRAP_ACCOUNT}`;

function otherSender({ spec }: CertificateSigningRequest, namespace: string): string {
  return `it was sent by ${shown(spec.username ?? '')}, which is neither the account of machines that join (${joiningUser(namespace)}, with its groups alone) nor the kubelet of a node (user ${NODE_USER}NAME in the group ${NODE_GROUP})`;
}

function nodeNameProblem(request: CertificateRequest): string | undefined {
  const { commonNames } = request;
  if (commonNames.length !== 1 || commonNames[0]?.startsWith(NODE_USER) !== true) {
    return `it is for ${shown(commonNames.join(', '))}, not for a node (${NODE_USER}NAME)`;
  }
  const name = nodeNameIn(request);
  return checkDnsSubdomain(name).length === 0 ? undefined : `${shown(name)} is no name for a Node`;
}

function nodeNameIn({ commonNames }: CertificateRequest): string {
  return (commonNames[0] ?? '').slice(NODE_USER.length);
}

function hostsProblem({ dnsNames, addresses }: CertificateRequest): string | undefined {
  const hosts = [...dnsNames, ...addresses];
  return hosts.length === 0
    ? undefined
    : `it is for hosts, which a client has not: ${shown(hosts.join(', '))}`;
}
