import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { certificateIssuer as issuer } from './certificate-issuer-node.ts';
import { serverCertificates } from './server-certificates.ts';

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;
const NOW_MS = Date.parse('2026-01-01T00:00:00Z');
const HOSTS = ['api.example', '10.0.0.5', 'fd00::5', 'master-0'];
const wanted = { hosts: HOSTS, nowMs: NOW_MS, issuer };
const first = serverCertificates({}, wanted);

describe('serverCertificates', () => {
  it('issues a CA and a serving certificate for ten years', () => {
    const authority = new X509Certificate(first.authority.certPem);
    const server = new X509Certificate(first.server.certPem);
    expect(authority.ca).toBe(true);
    expect(server.verify(authority.publicKey)).toBe(true);
    for (const one of [authority, server]) {
      expect(Date.parse(one.validTo) - NOW_MS).toBe(10 * YEAR_MS);
    }
    expect(server.checkHost('api.example')).toBe('api.example');
    expect(server.checkHost('master-0')).toBe('master-0');
    expect(server.checkIP('10.0.0.5')).toBe('10.0.0.5');
    expect(server.checkIP('fd00::5')).toBe('fd00::5');
    expect(server.checkHost('other.example')).toBeUndefined();
  });

  it('keeps both until two years before they expire', () => {
    const later = { ...wanted, nowMs: NOW_MS + 7.9 * YEAR_MS };
    expect(serverCertificates(first, later)).toEqual(first);
    const renewed = serverCertificates(first, { ...wanted, nowMs: NOW_MS + 8.1 * YEAR_MS });
    expect(renewed.authority).not.toEqual(first.authority);
    expect(issuer.isIssuedBy(renewed.server, renewed.authority)).toBe(true);
  });

  it('issues another serving certificate with the same CA when the hosts change', () => {
    const other = serverCertificates(first, { ...wanted, hosts: [...HOSTS, 'master-1'] });
    expect(other.authority).toEqual(first.authority);
    expect(new X509Certificate(other.server.certPem).checkHost('master-1')).toBe('master-1');
    expect(serverCertificates(other, { ...wanted, hosts: ['MASTER-1', ...HOSTS.toReversed()] })).toEqual(
      other,
    );
  });

  it('does not let a serving certificate outlive its CA', () => {
    const later = serverCertificates(
      { authority: first.authority },
      { ...wanted, nowMs: NOW_MS + 5 * YEAR_MS },
    );
    expect(later.authority).toEqual(first.authority);
    expect(new X509Certificate(later.server.certPem).validTo).toBe(
      new X509Certificate(first.authority.certPem).validTo,
    );
  });

  it('replaces what is damaged, belongs to another CA or has another key', () => {
    const foreign = serverCertificates({}, wanted);
    for (const server of [
      { certPem: 'damaged', keyPem: first.server.keyPem },
      { ...first.server, keyPem: foreign.server.keyPem },
      foreign.server,
    ]) {
      const result = serverCertificates({ authority: first.authority, server }, wanted);
      expect(result.authority).toEqual(first.authority);
      expect(issuer.isIssuedBy(result.server, first.authority)).toBe(true);
      expect(issuer.inspect(result.server)).toBeDefined();
    }
    const damaged = { certPem: '', keyPem: '' };
    expect(serverCertificates({ ...first, authority: damaged }, wanted).authority).not.toEqual(damaged);
    expect(serverCertificates({ ...first, authority: first.server }, wanted).authority).not.toEqual(
      first.server,
    );
  });

  it('leaves out hosts that a certificate cannot name', () => {
    const result = serverCertificates({}, { ...wanted, hosts: ['a b', '', '*', 'good'] });
    expect(new X509Certificate(result.server.certPem).subjectAltName).toBe('DNS:good');
  });
});
