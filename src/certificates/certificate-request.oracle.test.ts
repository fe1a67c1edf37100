/** Requests that openssl writes, with its view of them. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aJoiningRequest,
  aNodeAt,
  aRequest,
  aSigningRequest,
  pemOf,
  rsaKey,
} from '../../test/support/a-certificate-request.ts';
import { NAMESPACE } from '../api/index.ts';
import { parseCertificateRequest } from './certificate-request.ts';
import { decideClientCertificate } from './client-certificate.ts';
import { decideServingCertificate } from './serving-certificate.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'requests-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const openssl = (...args: readonly string[]) =>
  execFileSync('openssl', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

type Asked = {
  readonly subject?: string;
  readonly key?: readonly string[];
  readonly extensions?: string;
  readonly more?: string;
};

const P256 = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'] as const;
const HOSTS = 'subjectAltName=DNS:worker-0,IP:10.0.0.5,IP:fd00::5';

function written(
  name: string,
  { subject = '/O=system:nodes/CN=system:node:worker-0', key = P256, extensions = HOSTS, more = '' }: Asked,
): string {
  const config = `[req]\ndistinguished_name=dn\nstring_mask=utf8only\n${more}\n[dn]\n[ext]\n${extensions}\n`;
  writeFileSync(join(folder, `${name}.cnf`), config);
  const shape = extensions === '' ? [] : ['-reqexts', 'ext'];
  openssl(
    'req',
    '-new',
    '-nodes',
    ...key,
    '-keyout',
    `${name}.key`,
    '-config',
    `${name}.cnf`,
    '-subj',
    subject,
    ...shape,
    '-out',
    `${name}.pem`,
  );
  return readFileSync(join(folder, `${name}.pem`), 'utf8');
}

const READ = {
  commonNames: ['system:node:worker-0'],
  organizations: ['system:nodes'],
  dnsNames: ['worker-0'],
  addresses: ['10.0.0.5', 'fd00::5'],
};

describe('a request that openssl wrote', () => {
  it.each<[string, Asked]>([
    ['ecdsa-256', {}],
    ['ecdsa-384', { key: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384'] }],
    ['ecdsa-521', { key: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-521'] }],
    ['rsa-2048', { key: ['-newkey', 'rsa:2048'] }],
    ['ed25519', { key: ['-newkey', 'ed25519'] }],
    ['printable', { more: 'string_mask=default' }],
    ['critical', { extensions: HOSTS.replace('=', '=critical,') }],
  ])('is read in the form %s, and approved', (name, asked) => {
    const pem = written(name, asked);
    expect(parseCertificateRequest(pem)).toMatchObject(READ);
    const node = aNodeAt(
      'worker-0',
      ['Hostname', 'worker-0'],
      ['InternalIP', '10.0.0.5'],
      ['InternalIP', 'fd00::5'],
    );
    const situation = { node, isInPool: true, otherNodeWith: () => undefined, apiServerHosts: [] };
    const csr = aSigningRequest(pem);
    expect(decideServingCertificate({ ...situation, csr })).toMatchObject({ kind: 'approve' });
    const other = aNodeAt('worker-1', ['Hostname', 'worker-1'], ['InternalIP', '10.0.0.6']);
    expect(decideServingCertificate({ ...situation, csr, node: other })).toMatchObject({ kind: 'leave' });
  });

  it.each<[string, Asked]>([
    ['ecdsa', {}],
    ['rsa', { key: ['-newkey', 'rsa:2048'] }],
    ['ed25519', { key: ['-newkey', 'ed25519'] }],
  ])('without hosts is approved as that of a client, and known by its key: %s', (kind, asked) => {
    const pem = written(`client-${kind}`, { ...asked, extensions: '' });
    const { request: _, ...spec } = aJoiningRequest().spec;
    const around = {
      namespace: NAMESPACE,
      nodeOf: () => undefined,
      isInPool: () => false,
      approved: () => [],
    };
    const verdict = decideClientCertificate({ ...around, csr: aSigningRequest(pem, spec), nowMs: 0 });
    expect(verdict).toMatchObject({ kind: 'approve' });
    const read = parseCertificateRequest(pem);
    const key = Buffer.from(typeof read === 'string' ? read : read.key, 'base64');
    const whole = openssl('req', '-in', `client-${kind}.pem`, '-noout', '-pubkey').replaceAll(
      /-----.*-----|\n/g,
      '',
    );
    expect(Buffer.from(whole, 'base64').subarray(-key.length)).toEqual(key);
    expect(key.length).toBeGreaterThan(40);
  });

  it('without extensions has no hosts', () => {
    expect(parseCertificateRequest(written('bare', { extensions: '' }))).toMatchObject({
      ...READ,
      dnsNames: [],
      addresses: [],
    });
  });

  it.each<[string, Asked, string]>([
    ['email', { extensions: `${HOSTS},email:a@b.c` }, 'it asks for an email address'],
    ['uri', { extensions: `${HOSTS},URI:https://a` }, 'it asks for a URI'],
    [
      'other-name',
      { extensions: `${HOSTS},otherName:1.2.3.4;UTF8:x` },
      'it asks for a kind of host that is not known',
    ],
    ['registered', { extensions: `${HOSTS},RID:1.2.3.4` }, 'it asks for a kind of host that is not known'],
    ['ca', { extensions: `${HOSTS}\nbasicConstraints=CA:TRUE` }, 'it asks for the extension 2.5.29.19'],
    ['usage', { extensions: `${HOSTS}\nkeyUsage=keyCertSign` }, 'it asks for the extension 2.5.29.15'],
    [
      'unit',
      { subject: '/O=system:nodes/OU=x/CN=system:node:worker-0' },
      'its subject has 2.5.4.11 beside names and organizations',
    ],
    ['weak', { key: ['-newkey', 'rsa:1024'] }, 'the RSA key has 1024 bits; 2048 to 8192 are accepted'],
    [
      'p224',
      { key: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:secp224r1'] },
      'the curve 1.3.132.0.33 is not P-256, P-384 or P-521',
    ],
    ['ed448', { key: ['-newkey', 'ed448'] }, 'the kind of key 1.3.101.113 is not RSA, ECDSA or Ed25519'],
    [
      'joined',
      { subject: '/O=system:nodes+CN=system:node:worker-0' },
      'a part of the subject has 2 parts instead of 1',
    ],
  ])('with %s is refused', (name, asked, why) => {
    // One attribute of several values in a part of the subject needs a flag of its own in older versions.
    const more = name === 'joined' ? ['-multivalue-rdn'] : [];
    const pem = written(name, { ...asked, key: [...(asked.key ?? P256), ...more] });
    expect(parseCertificateRequest(pem)).toBe(`the request cannot be read: ${why}`);
  });
});

it('the requests of the unit tests are ones that openssl reads in the same way', () => {
  for (const [name, der] of [
    ['elliptic', aRequest({ addresses: ['10.0.0.5', 'fd00::5'] })],
    ['rsa', aRequest({ key: rsaKey(2048) })],
  ] as const) {
    writeFileSync(join(folder, `${name}.pem`), pemOf(der));
    const text = openssl('req', '-in', `${name}.pem`, '-noout', '-subject', '-nameopt', 'RFC2253');
    expect(text).toContain('CN=system:node:worker-0,O=system:nodes');
  }
});
