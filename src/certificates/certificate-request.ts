/**
 * A certificate request (PKCS #10), as kubelets write it: a subject of names and organizations, a key, and the hosts that the
 * certificate shall be for. A request that holds anything else is refused as a whole, because kubelets do not send it and
 * signers may understand it otherwise.
 *
 * The signature is not verified here: the signer does, before it signs.
 */
import { type Address, addressText, base64Bytes, base64Text, isMapped } from '../base/text/index.ts';
import {
  contentOf,
  type DerValue,
  derValues,
  NotDer,
  objectIdentifier,
  partsOf,
  TAG,
  textOf,
  unsignedBytes,
} from './der.ts';
import { checkKey } from './public-key.ts';

export type CertificateRequest = {
  readonly commonNames: readonly string[];
  readonly organizations: readonly string[];
  /** As written. */
  readonly dnsNames: readonly string[];
  /** In canonical form. */
  readonly addresses: readonly string[];
  /** The public key (SubjectPublicKeyInfo), to be compared with that of another request. */
  readonly key: string;
};

/** Of the text; a request of a kubelet has about 600 bytes, one with an RSA key of 8192 bits 4 KiB. */
const MAX_BYTES = 32 * 1024;

const NO_BYTES = new Uint8Array();

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
const SUBJECT_ALTERNATIVE_NAMES = '2.5.29.17';

/** From PEM; a string is the reason why it is refused. */
export function parseCertificateRequest(pem: string): CertificateRequest | string {
  if (pem.length > MAX_BYTES) return `the request is larger than ${MAX_BYTES} bytes`;
  const [, body] =
    /^-----BEGIN CERTIFICATE REQUEST-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END CERTIFICATE REQUEST-----\s*$/.exec(
      pem,
    ) ?? [];
  const bytes = body === undefined ? undefined : base64Bytes(body.replace(/[\r\n]/g, ''));
  if (bytes === undefined) return 'the request is not one block CERTIFICATE REQUEST of PEM';
  try {
    return readRequest(bytes);
  } catch (error) {
    if (error instanceof NotDer) return `the request cannot be read: ${error.message}`;
    throw error;
  }
}

function readRequest(bytes: Uint8Array): CertificateRequest {
  const [info] = exactly(
    3,
    partsOf(exactly(1, derValues(bytes), 'the request')[0], TAG.sequence, 'the request'),
    'the request',
  );
  const [version, subject, key, attributes] = exactly(
    4,
    partsOf(info, TAG.sequence, 'the request'),
    'the request',
  );
  const digits = unsignedBytes(version, 'the version');
  if (digits.length !== 1 || digits[0] !== 0) throw new NotDer('its version is not 1');
  checkKey(key);
  return { ...readSubject(subject), ...readHosts(attributes), key: base64Text(key?.content ?? NO_BYTES) };
}

function readSubject(
  subject: DerValue | undefined,
): Pick<CertificateRequest, 'commonNames' | 'organizations'> {
  const commonNames: string[] = [];
  const organizations: string[] = [];
  for (const set of partsOf(subject, TAG.sequence, 'the subject')) {
    const [attribute] = exactly(1, partsOf(set, TAG.set, 'a part of the subject'), 'a part of the subject');
    const [type, value] = exactly(
      2,
      partsOf(attribute, TAG.sequence, 'a part of the subject'),
      'a part of the subject',
    );
    const identifier = objectIdentifier(type, 'a part of the subject');
    if (identifier === COMMON_NAME) commonNames.push(textOf(value, 'the common name'));
    else if (identifier === ORGANIZATION) organizations.push(textOf(value, 'the organization'));
    else throw new NotDer(`its subject has ${identifier} beside names and organizations`);
  }
  return { commonNames, organizations };
}

type Hosts = Pick<CertificateRequest, 'dnsNames' | 'addresses'>;

/** `[0]`, a set of attributes: one request for extensions with one extension, or none. */
function readHosts(attributes: DerValue | undefined): Hosts {
  const all = partsOf(attributes, 0xa0, 'the list of attributes');
  if (all.length === 0) return { dnsNames: [], addresses: [] };
  const [attribute] = exactly(1, all, 'the list of attributes');
  const [type, values] = exactly(2, partsOf(attribute, TAG.sequence, 'an attribute'), 'an attribute');
  const identifier = objectIdentifier(type, 'an attribute');
  if (identifier !== EXTENSION_REQUEST) throw new NotDer(`it has the attribute ${identifier}`);
  const [extensions] = exactly(1, partsOf(values, TAG.set, 'an attribute'), 'an attribute');
  const asked = partsOf(extensions, TAG.sequence, 'the list of extensions');
  const hosts: Hosts[] = [];
  for (const extension of asked) {
    const parts = partsOf(extension, TAG.sequence, 'an extension');
    const name = objectIdentifier(parts[0], 'an extension');
    if (name !== SUBJECT_ALTERNATIVE_NAMES) throw new NotDer(`it asks for the extension ${name}`);
    hosts.push(hostsIn(contentOf(valueOfExtension(parts), TAG.octets, 'an extension')));
  }
  return exactly(1, hosts, 'the list of extensions')[0] ?? { dnsNames: [], addresses: [] };
}

/** Behind the name, and behind `critical` where that is true. */
function valueOfExtension(parts: readonly DerValue[]): DerValue | undefined {
  const [, second, third] = parts;
  if (parts.length === 2) return second;
  const critical = contentOf(second, TAG.boolean, 'an extension');
  if (parts.length !== 3 || critical.length !== 1 || critical[0] !== 0xff)
    throw new NotDer('an extension is malformed');
  return third;
}

function hostsIn(content: Uint8Array): Hosts {
  const [names] = exactly(1, derValues(content), 'the list of hosts');
  const dnsNames: string[] = [];
  const addresses: string[] = [];
  for (const { tag, content: host } of partsOf(names, TAG.sequence, 'the list of hosts')) {
    if (tag === HOST.dnsName) dnsNames.push(dnsNameOf(host));
    else if (tag === HOST.address) addresses.push(addressOf(host));
    else throw new NotDer(`it asks for ${OTHER_HOSTS[tag] ?? 'a kind of host that is not known'}`);
  }
  if (dnsNames.length + addresses.length === 0) throw new NotDer('the list of hosts is empty');
  return { dnsNames, addresses };
}

/** Tags of GeneralName in RFC 5280. */
const HOST = { dnsName: 0x82, address: 0x87 } as const;
const OTHER_HOSTS: { readonly [tag: number]: string } = {
  129: 'an email address',
  134: 'a URI',
  164: 'a directory name',
};

const MAX_DNS_NAME_BYTES = 253;

function dnsNameOf(bytes: Uint8Array): string {
  const text = bytes.length > MAX_DNS_NAME_BYTES ? '' : String.fromCharCode(...bytes);
  if (!/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(text)) throw new NotDer('a DNS name is malformed');
  return text;
}

function addressOf(bytes: Uint8Array): string {
  if (bytes.length !== 4 && bytes.length !== 16) throw new NotDer('an IP address has neither 4 nor 16 bytes');
  return canonicalAddress({ family: bytes.length === 4 ? 4 : 6, bytes: [...bytes] });
}

/** An IPv4 address has two forms; they are the same host. */
export function canonicalAddress(address: Address): string {
  return addressText(isMapped(address) ? { family: 4, bytes: address.bytes.slice(12) } : address);
}

function exactly<T>(count: number, items: readonly T[], what: string): readonly T[] {
  if (items.length !== count) throw new NotDer(`${what} has ${items.length} parts instead of ${count}`);
  return items;
}
