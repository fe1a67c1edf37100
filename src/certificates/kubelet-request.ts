/**
 * What is the same in all requests of kubelets for certificates, whoever signs them: who they are, the subject, usages, and the verdict.
 */
import { base64Bytes } from '../base/text/index.ts';
import type { CertificateSigningRequest } from '../kubernetes/types/index.ts';
import { type CertificateRequest, parseCertificateRequest } from './certificate-request.ts';

export const NODE_USER = 'system:node:';
export const NODE_GROUP = 'system:nodes';

export type Verdict =
  /** Of another signer, or decided already. */
  | { readonly kind: 'none' }
  | Approval
  /**
   * `mayChange`: with a Node, with another request or by another approver, so that it is decided again then, and not reported at once.
   * `untilMs`: or by itself, at this time.
   */
  | {
      readonly kind: 'leave';
      readonly why: string;
      readonly mayChange: boolean;
      readonly untilMs?: number;
    };

export type Approval = {
  readonly kind: 'approve';
  /** The name of the Node that the certificate is for. */
  readonly node: string;
  readonly hosts: readonly string[];
  /** Of the condition. */
  readonly reason: string;
  readonly message: string;
};

/** Approved, denied, failed or signed. */
export function isDecided({ status }: CertificateSigningRequest): boolean {
  return (status?.conditions ?? []).length > 0 || (status?.certificate ?? '') !== '';
}

/** The name of the Node that sent it; empty where none did. */
export function requestingNode({ spec }: CertificateSigningRequest): string {
  const { username = '', groups = [] } = spec;
  const isNode = username.startsWith(NODE_USER) && groups.includes(NODE_GROUP);
  return isNode ? username.slice(NODE_USER.length) : '';
}

/** Kubelets ask for key encipherment with an RSA key only. */
const USAGE_OF_RSA = 'key encipherment';
const SIGNATURE = 'digital signature';

/** Exactly those of a server or of a client. */
export function usagesProblem(
  { usages = [] }: CertificateSigningRequest['spec'],
  purpose: 'server' | 'client',
): string | undefined {
  const wanted = [SIGNATURE, `${purpose} auth`].toSorted();
  const others = usages.filter((usage) => usage !== USAGE_OF_RSA).toSorted();
  const isExact = others.length === wanted.length && wanted.every((usage, index) => others[index] === usage);
  const isTwice = usages.length > others.length + 1;
  if (isExact && !isTwice) return undefined;
  return `its usages are ${shown(usages.join(', '))}, not those of a ${purpose}: ${wanted.join(', ')}, and ${USAGE_OF_RSA} with RSA`;
}

/** A string is the reason why it is refused. */
export function parsedRequest({ spec }: CertificateSigningRequest): CertificateRequest | string {
  const bytes = base64Bytes(spec.request);
  return bytes === undefined
    ? 'its request is not base64'
    : parseCertificateRequest(new TextDecoder('latin1').decode(bytes));
}

export function organizationProblem({ organizations }: CertificateRequest): string | undefined {
  if (organizations.length === 1 && organizations[0] === NODE_GROUP) return undefined;
  return `its organization is ${shown(organizations.join(', '))}, not ${NODE_GROUP}`;
}

/** For requests that a kubelet sends as its node. */
export function senderProblem(
  { spec }: CertificateSigningRequest,
  { commonNames }: CertificateRequest,
): string | undefined {
  const { username = '' } = spec;
  if (commonNames.length === 1 && commonNames[0] === username) return undefined;
  return `it is for ${shown(commonNames.join(', '))}, and was sent by ${shown(username)}`;
}

type Membership = { readonly exists: boolean; readonly isInPool: boolean };

export function membershipProblem(name: string, { exists, isInPool }: Membership): string | undefined {
  if (!exists) return `there is no Node ${shown(name)}`;
  return isInPool ? undefined : `Node ${shown(name)} is in no pool`;
}

const MAX_SHOWN_CHARACTERS = 253;

/** Quoted, because others choose the text, and not longer than a name can be. */
export function shown(text: string): string {
  return JSON.stringify(
    text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text,
  );
}

/** A name as part of a command that is suggested to people. Names of requests may contain anything but a slash, also commands. */
export function asArgument(name: string): string {
  return /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name) ? name : 'NAME';
}
