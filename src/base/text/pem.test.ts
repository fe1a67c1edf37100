import { describe, expect, it } from 'vitest';
import { joinPemBundles, pemCertificates } from './pem.ts';

const pem = (body: string) => `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`;

describe('pemCertificates', () => {
  it.each([
    ['nothing', '', []],
    ['a text without certificates', 'hello', []],
    ['a certificate without a body', '-----BEGIN CERTIFICATE----- -----END CERTIFICATE-----', []],
    ['a certificate that does not end', '-----BEGIN CERTIFICATE-----\nMIIB', []],
    ['a key', '-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----', []],
    [
      'comments between certificates',
      `# one\n${pem('MIIA')}# two\n${pem('MIIB')}`,
      [pem('MIIA'), pem('MIIB')],
    ],
    [
      'a certificate twice, in other line breaks',
      `${pem('MIIAMIIB')}${pem('MIIA\r\nMIIB')}`,
      [pem('MIIAMIIB')],
    ],
  ])('reads %s', (_, bundle, certificates) => {
    expect(pemCertificates(bundle)).toEqual(certificates);
  });

  it('breaks lines after 64 characters, as other programs do', () => {
    const [certificate] = pemCertificates(pem('A'.repeat(100)));
    expect(certificate?.split('\n').map(({ length }) => length)).toEqual([27, 64, 36, 25, 0]);
  });

  it('takes no longer than its text is long', () => {
    expect(pemCertificates('-----BEGIN CERTIFICATE-----\n'.repeat(20_000))).toEqual([]);
    expect(pemCertificates(`-----BEGIN CERTIFICATE-----${' '.repeat(900_000)}`)).toEqual([]);
  });
});

describe('joinPemBundles', () => {
  it('keeps the first bundle as it is where the others add nothing', () => {
    const first = `# mine\n${pem('MIIA')}`.trim();
    expect(joinPemBundles([first, pem('MIIA'), ''])).toBe(first);
  });

  it('adds certificates of the others, each once', () => {
    const joined = joinPemBundles([pem('MIIA').trim(), `${pem('MIIB')}${pem('MIIA')}`, pem('MIIB')]);
    expect(joined).toBe(`${pem('MIIA')}${pem('MIIB')}`);
  });
});
