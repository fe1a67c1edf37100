/**
 * Who a client is by its certificate, as kube-apiserver reads it: the common name is the user, organizations are groups.
 */
import type { User } from '../../rbac/index.ts';

/** What a TLS socket tells of the other side; an empty object where it has shown nothing. */
export type PeerCertificate = {
  readonly subject?: {
    readonly CN?: string | readonly string[];
    readonly O?: string | readonly string[];
  };
  /** In capitals, two digits and a colon: `AB:CD:…`. */
  readonly fingerprint256?: string;
};

type ClientProof =
  /** Nothing was shown, or nothing that names anybody. */
  { readonly kind: 'none' } | { readonly kind: 'bad' } | { readonly kind: 'user'; readonly user: User };

/**
 * `isTrusted`: our authority signed the certificate, for clients, and it is valid now. A resumed session without any
 * certificate counts as trusted with Node, so it is asked for first.
 */
export function clientProof(peer: PeerCertificate, isTrusted: boolean): ClientProof {
  const { subject, fingerprint256 } = peer;
  if (fingerprint256 === undefined) return { kind: 'none' };
  if (!isTrusted) return { kind: 'bad' };
  const name = texts(subject?.CN).at(-1) ?? '';
  if (name === '') return { kind: 'none' };
  const digest = fingerprint256.replaceAll(':', '').toLowerCase();
  const extra = { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${digest}`] };
  return { kind: 'user', user: { name, groups: texts(subject?.O), extra } };
}

function texts(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
