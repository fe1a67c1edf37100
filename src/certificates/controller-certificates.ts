/**
 * The certificates that nodes get through the ControllerConfig, with their validity: `status.controllerCertificates`. For people and
 * alerts: nothing is decided by them, and a certificate that cannot be read is no error of the cluster.
 *
 * Names are written as Go's `pkix.Name` prints them, which upstream's tools expect: `CN=kube-ca,OU=openshift`.
 */
import type { ControllerCertificate, ControllerConfigSpec } from '../api/index.ts';
import { base64Bytes, formatTimestamp } from '../base/text/index.ts';
import { contentOf, type DerValue, derValues, NotDer, objectIdentifier, partsOf, TAG } from './der.ts';

type ControllerCertificates = {
  readonly certificates: readonly ControllerCertificate[];
  /** Lines for the log. */
  readonly problems: readonly string[];
};

/** Of all bundles: the status of an object must not grow without limit. */
const MAX_CERTIFICATES = 500;

/** In upstream's order: those of the cluster, then those of registries. */
export function controllerCertificates(spec: ControllerConfigSpec): ControllerCertificates {
  const bundles = [
    ['KubeAPIServerServingCAData', spec.kubeAPIServerServingCAData],
    ['CloudProviderCAData', spec.cloudProviderCAData],
    ['RootCAData', spec.rootCAData],
    ['AdditionalTrustBundle', spec.additionalTrustBundle],
    ...[...(spec.imageRegistryBundleData ?? []), ...(spec.imageRegistryBundleUserData ?? [])].map(
      ({ file, data }) => [file, data] as const,
    ),
  ] as const;
  const read = bundles.map(([bundleFile, data]) => ({ bundleFile, ...readBundle(data ?? '') }));
  const certificates = read.flatMap(({ bundleFile, found }) => found.map((one) => ({ ...one, bundleFile })));
  return {
    certificates: certificates.slice(0, MAX_CERTIFICATES),
    problems: read.flatMap(({ bundleFile, problem }) =>
      problem === undefined ? [] : [`a certificate of ${bundleFile} cannot be read: ${problem}`],
    ),
  };
}

type Certificate = Omit<ControllerCertificate, 'bundleFile'>;

const BLOCK = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]*)-----END CERTIFICATE-----/g;

/** What follows a certificate that cannot be read is left out, as upstream does. */
function readBundle(data: string): { readonly found: readonly Certificate[]; readonly problem?: string } {
  const pem = new TextDecoder().decode(base64Bytes(data) ?? new Uint8Array());
  const found: Certificate[] = [];
  for (const [, body = ''] of pem.matchAll(BLOCK)) {
    if (found.length >= MAX_CERTIFICATES) break;
    try {
      found.push(readCertificate(base64Bytes(body.replace(/\s/g, ''))));
    } catch (error) {
      if (!(error instanceof NotDer)) throw error;
      return { found, problem: error.message };
    }
  }
  return { found };
}

const VERSION_TAG = 0xa0;

function readCertificate(bytes: Uint8Array | undefined): Certificate {
  if (bytes === undefined) throw new NotDer('it is not base64');
  const [info] = partsOf(derValues(bytes)[0], TAG.sequence, 'the certificate');
  const parts = partsOf(info, TAG.sequence, 'the certificate');
  const [, , issuer, validity, subject] = parts[0]?.tag === VERSION_TAG ? parts.slice(1) : parts;
  const [notBefore, notAfter] = partsOf(validity, TAG.sequence, 'the validity');
  return {
    subject: nameText(subject, 'the subject'),
    signer: nameText(issuer, 'the issuer'),
    notBefore: timeText(notBefore),
    notAfter: timeText(notAfter),
  };
}

const UTC_TIME_TAG = 0x17;
const TIME = /^(\d{2}|\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/;

function timeText(value: DerValue | undefined): string {
  const text = new TextDecoder().decode(value?.content);
  const [, year = '', month = '', day = '', hour = '', minute = '', second = ''] = TIME.exec(text) ?? [];
  const isShort = value?.tag === UTC_TIME_TAG;
  if (year.length !== (isShort ? 2 : 4)) throw new NotDer('a time is of another form');
  // Two figures are of 1950 to 2049.
  const century = isShort ? (Number(year) >= 50 ? '19' : '20') : '';
  const ms = Date.parse(`${century}${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(ms)) throw new NotDer('a time does not exist');
  return formatTimestamp(ms);
}

/** In the order in which Go prints them. */
const ATTRIBUTES: readonly (readonly [identifier: string, name: string])[] = [
  ['2.5.4.5', 'SERIALNUMBER'],
  ['2.5.4.3', 'CN'],
  ['2.5.4.17', 'POSTALCODE'],
  ['2.5.4.9', 'STREET'],
  ['2.5.4.8', 'ST'],
  ['2.5.4.7', 'L'],
  ['2.5.4.11', 'OU'],
  ['2.5.4.10', 'O'],
  ['2.5.4.6', 'C'],
];

function nameText(value: DerValue | undefined, what: string): string {
  const values = new Map<string, string[]>();
  const others: string[] = [];
  for (const set of partsOf(value, TAG.sequence, what)) {
    for (const attribute of partsOf(set, TAG.set, what)) {
      const [type, text] = partsOf(attribute, TAG.sequence, what);
      const identifier = objectIdentifier(type, what);
      const [, name] = ATTRIBUTES.find(([known]) => known === identifier) ?? [];
      // Of an attribute without a name Go prints the encoding, in hexadecimal.
      if (name === undefined) others.unshift(`${identifier}=#${encodingOf(text)}`);
      else values.set(name, [...(values.get(name) ?? []), `${name}=${escaped(attributeText(text, what))}`]);
    }
  }
  const known = ATTRIBUTES.flatMap(([, name]) => values.get(name)?.join('+') ?? []);
  return [...known, ...others].join(',');
}

function encodingOf(value: DerValue | undefined): string {
  const { tag, content } = value ?? { tag: 0, content: new Uint8Array() };
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return [tag, ...size, ...content].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const BMP_TAG = 0x1e;

function attributeText(value: DerValue | undefined, what: string): string {
  const content = contentOf(value, value?.tag ?? 0, what);
  if (value?.tag !== BMP_TAG) return new TextDecoder().decode(content);
  const units = Array.from({ length: content.length >> 1 }, (_, at) => {
    return ((content[2 * at] ?? 0) << 8) | (content[2 * at + 1] ?? 0);
  });
  return String.fromCharCode(...units);
}

/** RFC 2253: what would be read as syntax, a space at either end, and `#` at the beginning. */
function escaped(text: string): string {
  return text.replace(/[,+"\\<>;]|^[ #]| $/g, '\\$&');
}
