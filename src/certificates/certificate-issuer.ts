/**
 * The port that makes keys and certificates. Its implementation is `certificate-issuer-node.ts`.
 */
import type { CertificateUse, Name } from './x509.ts';

export type PemPair = { readonly certPem: string; readonly keyPem: string };

/** From an hour before `nowMs`, which allows for clock skew. */
type Validity = { readonly nowMs: number; readonly lifeMs: number };

export type AuthorityOrder = Validity & { readonly name: Name };

export type LeafOrder = Validity & {
  /** The name of the authority. */
  readonly issuer: Name;
  readonly subject: Name;
  readonly use: CertificateUse;
};

export type CertificateFacts = {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly isAuthority: boolean;
  readonly der: Uint8Array;
};

export type CertificateIssuer = {
  /** A self-signed CA with a new key. */
  readonly issueAuthority: (order: AuthorityOrder) => PemPair;
  /** With a new key, signed by the authority. */
  readonly issueLeaf: (authority: PemPair, order: LeafOrder) => PemPair;
  /** `undefined`: it is damaged, or the key is another one's. */
  readonly inspect: (pair: PemPair) => CertificateFacts | undefined;
  readonly isIssuedBy: (pair: PemPair, authority: PemPair) => boolean;
  /** A secret that cannot be guessed, of letters, digits, `-` and `_`. */
  readonly createToken: () => string;
};
