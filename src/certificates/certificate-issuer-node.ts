/**
 * Makes keys and certificates with `node:crypto`: P-256, ECDSA with SHA-256. `x509.ts` encodes certificates.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import type {
  AuthorityOrder,
  CertificateFacts,
  CertificateIssuer,
  LeafOrder,
  PemPair,
} from './certificate-issuer.ts';
import { type CertificateUse, contentToSign, type Name, signedCertificate } from './x509.ts';

/** Allows for clock skew. */
const BACKDATED_MS = 60 * 60 * 1000;
const SERIAL_BYTES = 16;
const TOKEN_BYTES = 32;
export const CURVE = 'prime256v1';

export const certificateIssuer: CertificateIssuer = {
  issueAuthority,
  issueLeaf,
  inspect,
  isIssuedBy,
  createToken: () => randomBytes(TOKEN_BYTES).toString('base64url'),
};

function issueAuthority({ name, nowMs, lifeMs }: AuthorityOrder): PemPair {
  const key = makeKey();
  const use: CertificateUse = { kind: 'authority' };
  return issue({ issuer: name, issuerKey: key, subject: name, key, use, nowMs, lifeMs });
}

function issueLeaf(authority: PemPair, order: LeafOrder): PemPair {
  return issue({ ...order, issuerKey: createPrivateKey(authority.keyPem), key: makeKey() });
}

type Order = {
  readonly issuer: Name;
  readonly issuerKey: KeyObject;
  readonly subject: Name;
  readonly key: KeyObject;
  readonly use: CertificateUse;
  readonly nowMs: number;
  readonly lifeMs: number;
};

function issue({ issuer, issuerKey, subject, key, use, nowMs, lifeMs }: Order): PemPair {
  const content = contentToSign({
    serial: randomBytes(SERIAL_BYTES),
    issuer,
    subject,
    use,
    notBeforeMs: nowMs - BACKDATED_MS,
    notAfterMs: nowMs + lifeMs,
    publicKey: publicBytes(key),
    issuerPublicKey: publicBytes(issuerKey),
  });
  const certificate = signedCertificate(content, sign('sha256', content, issuerKey));
  return {
    certPem: new X509Certificate(certificate).toString(),
    keyPem: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function makeKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: CURVE }).privateKey;
}

function publicBytes(privateKey: KeyObject): Uint8Array {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
}

function inspect({ certPem, keyPem }: PemPair): CertificateFacts | undefined {
  try {
    const certificate = new X509Certificate(certPem);
    if (!certificate.checkPrivateKey(createPrivateKey(keyPem))) return undefined;
    return {
      notBeforeMs: Date.parse(certificate.validFrom),
      notAfterMs: Date.parse(certificate.validTo),
      isAuthority: certificate.ca,
      der: certificate.raw,
    };
  } catch {
    return undefined;
  }
}

function isIssuedBy(pair: PemPair, authority: PemPair): boolean {
  try {
    const certificate = new X509Certificate(pair.certPem);
    const issuer = new X509Certificate(authority.certPem);
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}
