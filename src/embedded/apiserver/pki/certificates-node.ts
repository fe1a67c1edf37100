/**
 * The certificates of an embedded cluster: its CA, and those that it signs for the server and clients.
 */
import { createPrivateKey, type KeyObject, randomBytes, X509Certificate } from 'node:crypto';
import type { Clock } from '../../../base/env.ts';
import { Failure } from '../../../base/errors.ts';
import { CURVE, certificateIssuer } from '../../../certificates/certificate-issuer-node.ts';
import {
  type CertificateUse,
  type Hosts,
  hostsExtension,
  type Name,
  nameBytes,
  type PemPair,
} from '../../../certificates/index.ts';
import { type Pki, type StoredPki, TOKEN_KEY_BYTES } from './pki.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const AUTHORITY_LIFE_MS = 3652 * DAY_MS;
const LEAF_LIFE_MS = 365 * DAY_MS;
/** A CA with less time left is replaced: certificates must not outlive it. */
const AUTHORITY_MARGIN_MS = LEAF_LIFE_MS + DAY_MS;
/** A server may run for months, and renews certificates only at startup. */
const LEAF_MARGIN_MS = LEAF_LIFE_MS / 2;

const AUTHORITY_NAME: Name = { commonName: 'millwright-ca' };
const SERVER_NAME: Name = { commonName: 'kube-apiserver' };
const ADMIN_NAME = 'millwright-admin';
const ADMIN_GROUP = 'system:masters';

type PkiOptions = {
  readonly clock: Clock;
  /** A further host name of the server. */
  readonly hostName?: string;
};

/**
 * Keeps what is still valid and issues the rest. Throws a `Failure` (`PkiUnusable`) for a foreign CA or token key:
 * replacing it would break its clients.
 */
export function renewPki(kept: StoredPki, { clock, hostName }: PkiOptions): Pki {
  const authority = usableAuthority(kept.authority, clock.now()) ?? createAuthority(clock);
  if (kept.tokenKey !== undefined && kept.tokenKey.length !== TOKEN_KEY_BYTES) {
    throw unusable(`the token key has ${kept.tokenKey.length} bytes and not ${TOKEN_KEY_BYTES}`);
  }
  const admin: Name = { commonName: ADMIN_NAME, organizations: [ADMIN_GROUP] };
  const isGood = (pair: PemPair | undefined, marks: readonly Uint8Array[]): pair is PemPair =>
    pair !== undefined && isUsableLeaf(pair, { authority, marks, nowMs: clock.now() });
  const serverMarks = [nameBytes(SERVER_NAME), hostsExtension(hostsOf(hostName))];
  return {
    authority,
    server: isGood(kept.server, serverMarks)
      ? kept.server
      : issueServerCertificate(authority, { clock, ...(hostName !== undefined && { hostName }) }),
    admin: isGood(kept.admin, [nameBytes(admin)])
      ? kept.admin
      : issueClientCertificate(authority, { clock, name: ADMIN_NAME, groups: [ADMIN_GROUP] }),
    tokenKey: kept.tokenKey ?? randomBytes(TOKEN_KEY_BYTES),
  };
}

/** A self-signed CA. */
export function createAuthority(clock: Clock): PemPair {
  return certificateIssuer.issueAuthority({
    name: AUTHORITY_NAME,
    nowMs: clock.now(),
    lifeMs: AUTHORITY_LIFE_MS,
  });
}

export function issueServerCertificate(authority: PemPair, { clock, hostName }: PkiOptions): PemPair {
  const use: CertificateUse = { kind: 'server', hosts: hostsOf(hostName) };
  return issueLeaf(authority, { subject: SERVER_NAME, use, clock });
}

type ClientIdentity = {
  readonly clock: Clock;
  readonly name: string;
  readonly groups: readonly string[];
};

/** The common name is the user name, organizations are groups. */
export function issueClientCertificate(authority: PemPair, { clock, name, groups }: ClientIdentity): PemPair {
  const subject = { commonName: name, organizations: groups };
  return issueLeaf(authority, { subject, use: { kind: 'client' }, clock });
}

/** The host names of the server: for this machine, and for pods. */
function hostsOf(hostName: string | undefined): Hosts {
  const own = hostName?.toLowerCase();
  const names = [
    'localhost',
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    ...(own !== undefined && HOST_NAME.test(own) ? [own] : []),
  ];
  return { names: [...new Set(names)], addresses: LOOPBACK_ADDRESSES };
}

/** Host names that a certificate cannot contain are skipped. */
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LOOPBACK_ADDRESSES = [
  [127, 0, 0, 1],
  [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
];

type Leaf = { readonly subject: Name; readonly use: CertificateUse; readonly clock: Clock };

function issueLeaf(authority: PemPair, { subject, use, clock }: Leaf): PemPair {
  const time = { nowMs: clock.now(), lifeMs: LEAF_LIFE_MS };
  return certificateIssuer.issueLeaf(authority, { issuer: AUTHORITY_NAME, subject, use, ...time });
}

/** The CA, if it is valid for long enough. */
function usableAuthority(kept: PemPair | undefined, nowMs: number): PemPair | undefined {
  if (kept === undefined) return undefined;
  const { certificate, key } = read(kept);
  const isOurs =
    certificate.ca &&
    certificate.subject === `CN=${AUTHORITY_NAME.commonName}` &&
    key.asymmetricKeyDetails?.namedCurve === CURVE;
  if (!isOurs) throw unusable('the CA was not created by Millwright');
  if (!certificate.checkPrivateKey(key)) throw unusable('the key of the CA does not match its certificate');
  return Date.parse(certificate.validTo) - nowMs > AUTHORITY_MARGIN_MS ? kept : undefined;
}

type Expected = {
  readonly authority: PemPair;
  /** Bytes that the certificate must contain: its subject, its extensions. */
  readonly marks: readonly Uint8Array[];
  readonly nowMs: number;
};

function isUsableLeaf(pair: PemPair, { authority, marks, nowMs }: Expected): boolean {
  try {
    const { certificate, key } = read(pair);
    const issuer = new X509Certificate(authority.certPem);
    return (
      certificate.checkPrivateKey(key) &&
      certificate.checkIssued(issuer) &&
      certificate.verify(issuer.publicKey) &&
      marks.every((mark) => certificate.raw.includes(Buffer.from(mark))) &&
      Date.parse(certificate.validFrom) <= nowMs &&
      Date.parse(certificate.validTo) - nowMs > LEAF_MARGIN_MS
    );
  } catch {
    // Reissued in any case: nothing else depends on it.
    return false;
  }
}

function read({ certPem, keyPem }: PemPair): {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
} {
  try {
    return { certificate: new X509Certificate(certPem), key: createPrivateKey(keyPem) };
  } catch (error) {
    throw unusable('a certificate or a key is damaged', error);
  }
}

function unusable(what: string, cause?: unknown): Failure {
  return new Failure('stalled', 'PkiUnusable', what, cause);
}
