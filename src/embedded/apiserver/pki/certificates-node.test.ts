import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../base/env.ts';
import type { PemPair } from '../../../certificates/index.ts';
import {
  createAuthority,
  issueClientCertificate,
  issueServerCertificate,
  renewPki,
} from './certificates-node.ts';
import type { Pki } from './pki.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const inDays = (days: number): Clock => ({ ...systemClock, now: () => systemClock.now() + days * DAY_MS });
const clock = systemClock;

const authority = createAuthority(clock);
const server = issueServerCertificate(authority, { clock, hostName: 'Builder-7.example' });
const client = issueClientCertificate(authority, {
  clock,
  name: 'system:node:wörker-0',
  groups: ['system:nodes', 'a,b=c'],
});
const read = ({ certPem }: PemPair) => new X509Certificate(certPem);

describe('createAuthority', () => {
  it('makes a self-signed certificate for ten years', () => {
    const certificate = read(authority);
    expect(certificate.ca).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(Date.parse(certificate.validTo) - clock.now()).toBeGreaterThan(3651 * DAY_MS);
    expect(Date.parse(certificate.validFrom)).toBeLessThan(clock.now());
  });

  it('can be issued in any year', () => {
    const late = createAuthority(inDays(40 * 365));
    const lifeMs = Date.parse(read(late).validTo) - clock.now();
    expect(Math.round(lifeMs / DAY_MS)).toBe(40 * 365 + 3652);
  });
});

describe('a certificate', () => {
  it('contains the host names of the server', () => {
    const certificate = read(server);
    for (const name of [
      'localhost',
      'kubernetes',
      'kubernetes.default',
      'kubernetes.default.svc',
      'builder-7.example',
    ]) {
      expect(certificate.checkHost(name), name).toBe(name);
    }
    for (const ip of ['127.0.0.1', '::1']) expect(certificate.checkIP(ip)).toBe(ip);
    expect(certificate.checkHost('example')).toBeUndefined();
  });

  it.each(['not_a_name', 'größe', '-', 'a..b', '', 'x'.repeat(254)])(
    'does without the host name %j, which no certificate can hold',
    (hostName) => {
      const certificate = read(issueServerCertificate(authority, { clock, hostName }));
      expect(certificate.subjectAltName).toBe(
        'DNS:localhost, DNS:kubernetes, DNS:kubernetes.default, DNS:kubernetes.default.svc, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
      );
    },
  );

  it('is signed by the CA, with a unique serial number', () => {
    const issuer = read(authority);
    const numbers = [server, client].map((pair) => {
      const certificate = read(pair);
      expect(certificate.checkIssued(issuer)).toBe(true);
      expect(certificate.verify(issuer.publicKey)).toBe(true);
      expect(certificate.ca).toBe(false);
      return certificate.serialNumber;
    });
    expect(new Set(numbers).size).toBe(2);
    expect(numbers[0]).toMatch(/^[0-9A-F]{24,32}$/);
  });
});

describe('a TLS handshake', () => {
  const handshake = async (options: { readonly client?: PemPair; readonly host?: string }) => {
    const listener = createServer({
      cert: server.certPem,
      key: server.keyPem,
      ca: authority.certPem,
      requestCert: true,
      rejectUnauthorized: false,
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const accepted = new Promise<TLSSocket>((resolve) => listener.once('secureConnection', resolve));
    const { port } = listener.address() as AddressInfo;
    const socket = connect({
      port,
      host: '127.0.0.1',
      ca: authority.certPem,
      servername: options.host ?? 'localhost',
      ...(options.client && { cert: options.client.certPem, key: options.client.keyPem }),
    });
    try {
      await new Promise<void>((resolve, reject) => {
        socket.once('secureConnect', resolve).once('error', reject);
      });
      const seen = await accepted;
      return { isAuthorized: seen.authorized, subject: seen.getPeerCertificate().subject };
    } finally {
      socket.destroy();
      listener.close();
    }
  };

  it('fails for another host name', async () => {
    await expect(handshake({ host: 'elsewhere' })).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
  });

  it('rejects a client certificate of another CA', async () => {
    const other = createAuthority(clock);
    const stranger = issueClientCertificate(other, { clock, name: 'a', groups: ['system:masters'] });
    expect(await handshake({ client: stranger })).toMatchObject({ isAuthorized: false });
  });

  it('rejects a server certificate from a client', async () => {
    expect(await handshake({ client: server })).toMatchObject({ isAuthorized: false });
  });

  it('contains user name and groups of a client', async () => {
    expect(await handshake({ client })).toEqual({
      isAuthorized: true,
      subject: { CN: 'system:node:wörker-0', O: ['system:nodes', 'a,b=c'] },
    });
  });
});

describe('renewPki', () => {
  const options = { clock, hostName: 'here' };
  const pki = renewPki({}, options);
  const parts = (before: Pki, after: Pki) =>
    (['authority', 'server', 'admin', 'tokenKey'] as const).filter((part) => before[part] !== after[part]);
  const foreign = (): PemPair => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    return { ...pki.authority, keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
  };

  it.each<[string, Partial<Pki>]>([
    ['an authority that is none', { authority: pki.server }],
    ['an authority that cannot be read', { authority: { certPem: 'x', keyPem: 'y' } }],
    ['an authority with the key of another', { authority: foreign() }],
    ['a token key of the wrong length', { tokenKey: new Uint8Array(31) }],
  ])('rejects %s, which it must not replace', (_, damage) => {
    expect(() => renewPki({ ...pki, ...damage }, options)).toThrow(
      expect.objectContaining({ kind: 'stalled', reason: 'PkiUnusable' }),
    );
  });

  it('keeps valid certificates', () => {
    expect(parts(pki, renewPki(pki, options))).toEqual([]);
    expect(pki.tokenKey).toHaveLength(32);
    expect(read(pki.admin).subject).toBe('O=system:masters\nCN=millwright-admin');
  });

  it.each<[string, Partial<Pki>, typeof options, readonly string[]]>([
    ['the server certificate when the host name changes', {}, { ...options, hostName: 'there' }, ['server']],
    ['the server certificate when it has another subject', { server: pki.admin }, options, ['server']],
    ['an admin certificate without the admin group', { admin: client }, options, ['admin']],
    ['an admin certificate that cannot be read', { admin: { certPem: '', keyPem: '' } }, options, ['admin']],
    ['certificates past half of their lifetime', {}, { ...options, clock: inDays(190) }, ['server', 'admin']],
    ['certificates that are not valid yet', {}, { ...options, clock: inDays(-1) }, ['server', 'admin']],
    [
      'all but the token key when the CA is about to expire',
      {},
      { ...options, clock: inDays(9 * 365 + 10) },
      ['authority', 'server', 'admin'],
    ],
    ['all that another authority signed', { authority }, options, ['server', 'admin']],
  ])('reissues %s', (_, change, given, expected) => {
    const before = { ...pki, ...change };
    const after = renewPki(before, given);
    expect(parts(before, after)).toEqual(expected);
    expect(read(after.admin).verify(read(after.authority).publicKey)).toBe(true);
    expect(read(after.server).verify(read(after.authority).publicKey)).toBe(true);
  });
});

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describe.skipIf(!hasOpenssl)('openssl', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'millwright-certificates-'));
    for (const [name, pair] of Object.entries({ authority, server, client })) {
      writeFileSync(join(folder, `${name}.crt`), pair.certPem);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const openssl = (...args: readonly string[]) =>
    execFileSync('openssl', args, { cwd: folder, encoding: 'utf8' });

  it.each([
    ['server', 'sslserver'],
    ['client', 'sslclient'],
  ])("makes a valid %s by OpenSSL's strict checks", (name, purpose) => {
    const args = ['-x509_strict', '-CAfile', 'authority.crt', '-purpose', purpose, `${name}.crt`];
    expect(openssl('verify', ...args)).toBe(`${name}.crt: OK\n`);
  });

  it('reads every field of the server certificate', () => {
    const text = openssl('x509', '-in', 'server.crt', '-noout', '-text');
    for (const part of [
      'Version: 3 (0x2)',
      'Signature Algorithm: ecdsa-with-SHA256',
      'Issuer: CN = millwright-ca',
      'Subject: CN = kube-apiserver',
      'ASN1 OID: prime256v1',
      'X509v3 Basic Constraints: critical\n                CA:FALSE',
      'X509v3 Key Usage: critical\n                Digital Signature\n',
      'X509v3 Extended Key Usage: \n                TLS Web Server Authentication\n',
      'DNS:builder-7.example, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
    ]) {
      expect(text).toContain(part);
    }
  });

  it('reads every field of the CA certificate', () => {
    const text = openssl('x509', '-in', 'authority.crt', '-noout', '-text');
    expect(text).toContain('X509v3 Basic Constraints: critical\n                CA:TRUE, pathlen:0');
    expect(text).toContain('X509v3 Key Usage: critical\n                Certificate Sign, CRL Sign\n');
    const [own, issuer] = [...text.matchAll(/Key Identifier: \n\s+(?:keyid:)?([0-9A-F:]+)/g)].map(
      (match) => match[1],
    );
    expect(own).toMatch(/^([0-9A-F]{2}:){19}[0-9A-F]{2}$/);
    expect(issuer).toBe(own);
  });
});
