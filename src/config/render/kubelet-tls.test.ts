import { describe, expect, it } from 'vitest';
import { ok } from '../../base/errors.ts';
import { kubeletTls, type TlsProfile } from './kubelet-tls.ts';

const custom = (ciphers: readonly string[] | undefined, minTLSVersion?: string): TlsProfile => ({
  type: 'Custom',
  custom: { ...(ciphers && { ciphers }), ...(minTLSVersion && { minTLSVersion }) },
});
const intermediate = kubeletTls(undefined);

describe('kubeletTls rejects profiles that the kubelet cannot serve with', () => {
  it('a list without a cipher that HTTP/2 requires', () => {
    expect(kubeletTls(custom(['ECDHE-RSA-AES256-GCM-SHA384']))).toMatchObject({
      problems: [{ path: 'custom.ciphers', message: expect.stringContaining('ECDHE-RSA-AES128-GCM-SHA256') }],
    });
  });

  it('a list without any known cipher', () => {
    expect(kubeletTls(custom(['DHE-RSA-AES128-GCM-SHA256']))).toMatchObject({
      problems: [{ path: 'custom.ciphers', message: 'holds no cipher that the kubelet knows' }],
    });
  });

  it('an unknown version', () => {
    expect(kubeletTls(custom([], 'VersionTLS14'))).toMatchObject({
      problems: [{ path: 'custom.minTLSVersion', reason: 'FieldValueNotSupported' }],
    });
  });

  it('ciphers that are not a list', () => {
    const hostile: unknown = { type: 'Custom', custom: { ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' } };
    expect(kubeletTls(hostile as TlsProfile)).toMatchObject({ problems: [{ message: 'must be a list' }] });
  });

  it('but only drops an unknown cipher among known ones, with a warning', () => {
    const outcome = kubeletTls(custom(['__proto__', 'ECDHE-RSA-AES128-GCM-SHA256'], 'VersionTLS11'));
    expect(outcome).toEqual(
      ok({ minVersion: 'VersionTLS11', cipherSuites: ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'] }, [
        { path: 'custom.ciphers[0]', message: 'the kubelet does not know "__proto__"; it is ignored' },
      ]),
    );
  });
});

describe('kubeletTls', () => {
  it('lists no ciphers for TLS 1.3, which cannot be configured', () => {
    expect(kubeletTls({ type: 'Modern' })).toEqual(ok({ minVersion: 'VersionTLS13', cipherSuites: [] }));
    expect(kubeletTls(custom(['TLS_AES_128_GCM_SHA256'], 'VersionTLS13'))).toEqual(
      kubeletTls({ type: 'Modern' }),
    );
  });

  it('raises the version instead of allowing default ciphers of TLS 1.2', () => {
    expect(kubeletTls(custom(['TLS_AES_128_GCM_SHA256'], 'VersionTLS12'))).toMatchObject({
      value: { minVersion: 'VersionTLS13', cipherSuites: [] },
      warnings: [{ path: 'custom.ciphers' }],
    });
  });

  it('supports the profile Old without the three ciphers that Go lacks', () => {
    const outcome = kubeletTls({ type: 'Old' });
    const suites = outcome.kind === 'ok' ? outcome.value.cipherSuites : [];
    expect(outcome).toMatchObject({ value: { minVersion: 'VersionTLS10' } });
    expect(suites).toHaveLength(18);
    expect(suites.at(-1)).toBe('TLS_RSA_WITH_3DES_EDE_CBC_SHA');
  });

  it.each([
    [{}],
    [{ type: 'Intermediate' }],
    [{ type: 'Custom' }],
    [{ type: 'Custom', custom: null }],
    [{ type: '?' }],
  ])('treats %j as Intermediate', (profile) => {
    expect(kubeletTls(profile)).toEqual(intermediate);
  });

  it('accepts IANA names without duplicates, and a version without ciphers', () => {
    const name = 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256';
    expect(kubeletTls(custom([name, 'ECDHE-RSA-AES128-GCM-SHA256']))).toEqual(
      ok({ minVersion: 'VersionTLS12', cipherSuites: [name] }),
    );
    expect(kubeletTls(custom(undefined, 'VersionTLS11'))).toEqual(
      ok({ minVersion: 'VersionTLS11', cipherSuites: [] }),
    );
  });
});
