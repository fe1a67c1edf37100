/**
 * X.509 certificates as DER (RFC 5280), with P-256 keys and ECDSA signatures with SHA-256. `certificate-issuer-node.ts`
 * makes keys and signatures.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import * as der from './der-writer.ts';

type CertificateContent = {
  /** Random, of at most 20 bytes. */
  readonly serial: Uint8Array;
  readonly issuer: Name;
  readonly subject: Name;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array;
  readonly issuerPublicKey: Uint8Array;
  readonly use: CertificateUse;
};

export type Name = { readonly commonName: string; readonly organizations?: readonly string[] };

export type CertificateUse =
  | { readonly kind: 'authority' }
  | { readonly kind: 'server'; readonly hosts: Hosts }
  | { readonly kind: 'client' };

/** Host names, and addresses of 4 or 16 bytes. */
export type Hosts = {
  readonly names: readonly string[];
  readonly addresses: readonly (readonly number[])[];
};

/** The TBSCertificate. */
export function contentToSign(content: CertificateContent): Uint8Array {
  const { serial, issuer, subject, notBeforeMs, notAfterMs, publicKey } = content;
  return der.sequence(
    der.explicit(0, der.unsigned(Uint8Array.of(VERSION_3))),
    der.unsigned(serial),
    signatureAlgorithm,
    nameBytes(issuer),
    der.sequence(der.time(notBeforeMs), der.time(notAfterMs)),
    nameBytes(subject),
    publicKey,
    der.explicit(3, der.sequence(...extensions(content))),
  );
}

export function signedCertificate(content: Uint8Array, signature: Uint8Array): Uint8Array {
  return der.sequence(content, signatureAlgorithm, der.bits(signature));
}

/** Organizations first, as kubeadm does. */
export function nameBytes({ commonName, organizations = [] }: Name): Uint8Array {
  const part = (type: string, text: string) =>
    der.setOf(der.sequence(der.objectIdentifier(type), der.utf8(text)));
  return der.sequence(
    ...organizations.map((organization) => part(ORGANIZATION, organization)),
    part(COMMON_NAME, commonName),
  );
}

/** The subjectAltName extension; two certificates have the same names if its bytes are equal. */
export function hostsExtension({ names, addresses }: Hosts): Uint8Array {
  return extension(
    SUBJECT_ALTERNATIVE_NAME,
    der.sequence(
      ...names.map((name) => der.implicit(DNS_NAME, der.ascii(name))),
      ...addresses.map((address) => der.implicit(IP_ADDRESS, Uint8Array.from(address))),
    ),
  );
}

const VERSION_3 = 2;
const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const SUBJECT_KEY_IDENTIFIER = '2.5.29.14';
const KEY_USAGE = '2.5.29.15';
const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';
const BASIC_CONSTRAINTS = '2.5.29.19';
const AUTHORITY_KEY_IDENTIFIER = '2.5.29.35';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1';
const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2';
const DNS_NAME = 2;
const IP_ADDRESS = 7;
/** Bits of the key usage. */
const DIGITAL_SIGNATURE = 0;
const CERTIFICATE_SIGNING = 5;
const REVOCATION_LIST_SIGNING = 6;

const signatureAlgorithm = der.sequence(der.objectIdentifier('1.2.840.10045.4.3.2'));

function extensions({ use, publicKey, issuerPublicKey }: CertificateContent): readonly Uint8Array[] {
  const isAuthority = use.kind === 'authority';
  // pathLenConstraint 0: no intermediate CAs.
  const constraints = isAuthority
    ? der.sequence(der.boolean(true), der.unsigned(Uint8Array.of(0)))
    : der.sequence();
  const usage = isAuthority ? [CERTIFICATE_SIGNING, REVOCATION_LIST_SIGNING] : [DIGITAL_SIGNATURE];
  const common = [
    extension(BASIC_CONSTRAINTS, constraints, 'critical'),
    extension(KEY_USAGE, der.namedBits(usage), 'critical'),
    extension(SUBJECT_KEY_IDENTIFIER, der.octets(keyIdentifier(publicKey))),
    extension(AUTHORITY_KEY_IDENTIFIER, der.sequence(der.implicit(0, keyIdentifier(issuerPublicKey)))),
  ];
  const purpose = (identifier: string) =>
    extension(EXTENDED_KEY_USAGE, der.sequence(der.objectIdentifier(identifier)));
  switch (use.kind) {
    case 'authority':
      return common;
    case 'client':
      return [...common, purpose(CLIENT_AUTHENTICATION)];
    case 'server':
      return [...common, purpose(SERVER_AUTHENTICATION), hostsExtension(use.hosts)];
  }
}

function extension(type: string, value: Uint8Array, weight?: 'critical'): Uint8Array {
  const critical = weight === 'critical' ? [der.boolean(true)] : [];
  return der.sequence(der.objectIdentifier(type), ...critical, der.octets(value));
}

/** An uncompressed point of P-256: the last bytes of its SubjectPublicKeyInfo. */
const POINT_BYTES = 65;
const KEY_IDENTIFIER_BYTES = 20;

/** RFC 7093: a truncated hash of the key. */
function keyIdentifier(publicKey: Uint8Array): Uint8Array {
  return sha256(publicKey.subarray(-POINT_BYTES)).subarray(0, KEY_IDENTIFIER_BYTES);
}
