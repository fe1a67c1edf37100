/**
 * The certificates of an embedded cluster: an authority of its own, and what it signs for the server and its clients.
 * Keys are made by `node:crypto`, which can sign but cannot write certificates; `x509.ts` writes them.
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
import type { Clock } from '../../../base/env.ts';
import { Failure } from '../../../base/errors.ts';
import { type PemPair, type Pki, type StoredPki, TOKEN_KEY_BYTES } from './pki.ts';
import {
  type CertificateUse,
  contentToSign,
  type Hosts,
  hostsExtension,
  type Name,
  nameBytes,
  signedCertificate,
} from './x509.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const AUTHORITY_LIFE_MS = 3652 * DAY_MS;
const LEAF_LIFE_MS = 365 * DAY_MS;
/** Clocks of other machines may be behind ours. */
const BACKDATED_MS = 60 * 60 * 1000;
/** With less than this ahead of it an authority is replaced: what it signs must not outlive it. */
const AUTHORITY_MARGIN_MS = LEAF_LIFE_MS + DAY_MS;
/** A server may run for months, and renews only when it starts. */
const LEAF_MARGIN_MS = LEAF_LIFE_MS / 2;

const AUTHORITY_NAME: Name = { commonName: 'millwright-ca' };
const SERVER_NAME: Name = { commonName: 'kube-apiserver' };
const ADMIN_NAME = 'millwright-admin';
const ADMIN_GROUP = 'system:masters';

type PkiOptions = {
  readonly clock: Clock;
  /** A further name by which the server can be reached. */
  readonly hostName?: string;
};

/**
 * What is still good is kept as it is, and the rest is made. Throws a `Failure` (`PkiUnusable`) when there is an
 * authority or a token key that we did not make: replacing it would cut off those who rely on it.
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

/** An authority that signs itself. */
export function createAuthority(clock: Clock): PemPair {
  const key = makeKey();
  return issue({
    ...{ issuer: AUTHORITY_NAME, issuerKey: key, subject: AUTHORITY_NAME, key },
    ...{ use: { kind: 'authority' }, nowMs: clock.now(), lifeMs: AUTHORITY_LIFE_MS },
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

/** For a user, as Kubernetes reads certificates: the common name is the name, each organization a group. */
export function issueClientCertificate(authority: PemPair, { clock, name, groups }: ClientIdentity): PemPair {
  const subject = { commonName: name, organizations: groups };
  return issueLeaf(authority, { subject, use: { kind: 'client' }, clock });
}

/** How the server can be called from this machine, and from pods that believe in a cluster. */
function hostsOf(hostName: string | undefined): Hosts {
  const own = hostName?.toLowerCase();
  const names = [
    ...['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
    ...(own !== undefined && HOST_NAME.test(own) ? [own] : []),
  ];
  return { names: [...new Set(names)], addresses: LOOPBACK_ADDRESSES };
}

/** Machines may have names that no certificate can hold; they are left out. */
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LOOPBACK_ADDRESSES = [
  [127, 0, 0, 1],
  [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
];

type Leaf = { readonly subject: Name; readonly use: CertificateUse; readonly clock: Clock };

function issueLeaf(authority: PemPair, { subject, use, clock }: Leaf): PemPair {
  const issuerKey = createPrivateKey(authority.keyPem);
  const time = { nowMs: clock.now(), lifeMs: LEAF_LIFE_MS };
  return issue({ issuer: AUTHORITY_NAME, issuerKey, subject, key: makeKey(), use, ...time });
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
    ...{ serial: randomBytes(SERIAL_BYTES), issuer, subject, use },
    ...{ notBeforeMs: nowMs - BACKDATED_MS, notAfterMs: nowMs + lifeMs },
    ...{ publicKey: publicBytes(key), issuerPublicKey: publicBytes(issuerKey) },
  });
  const certificate = signedCertificate(content, sign('sha256', content, issuerKey));
  return {
    certPem: new X509Certificate(certificate).toString(),
    keyPem: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

const SERIAL_BYTES = 16;
const CURVE = 'prime256v1';

function makeKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: CURVE }).privateKey;
}

function publicBytes(privateKey: KeyObject): Uint8Array {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
}

/** The authority if there is one that lasts long enough. */
function usableAuthority(kept: PemPair | undefined, nowMs: number): PemPair | undefined {
  if (kept === undefined) return undefined;
  const { certificate, key } = read(kept);
  const isOurs =
    certificate.ca &&
    certificate.subject === `CN=${AUTHORITY_NAME.commonName}` &&
    key.asymmetricKeyDetails?.namedCurve === CURVE;
  if (!isOurs) throw unusable('the authority was not made by Millwright');
  if (!certificate.checkPrivateKey(key)) throw unusable("the authority's key is not that of its certificate");
  return Date.parse(certificate.validTo) - nowMs > AUTHORITY_MARGIN_MS ? kept : undefined;
}

type Expected = {
  readonly authority: PemPair;
  /** Bytes that the certificate has to hold: its subject, its extensions. */
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
    // Whatever it is, it is made anew: nobody else relies on it.
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
