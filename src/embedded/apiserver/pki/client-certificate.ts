/** The user of a client certificate, as in kube-apiserver: common name and organizations are user name and groups. */
import type { User } from '../../rbac/index.ts';

/** The peer certificate of a TLS socket; an empty object without one. */
export type PeerCertificate = {
  readonly subject?: {
    readonly CN?: string | readonly string[];
    readonly O?: string | readonly string[];
  };
  /** Upper-case hex with colons: `AB:CD:…`. */
  readonly fingerprint256?: string;
};

type ClientProof =
  /** No certificate, or one without a name. */
  { readonly kind: 'none' } | { readonly kind: 'bad' } | { readonly kind: 'user'; readonly user: User };

/**
 * `isTrusted`: the certificate is signed by our CA for client authentication and valid now. Node reports a resumed
 * session without a certificate as trusted, so the certificate is checked first.
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
