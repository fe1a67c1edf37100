import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aRequest, pemOf } from '../../test/support/a-certificate-request.ts';
import { parseCertificateRequest } from './certificate-request.ts';
import {
  type DerValue,
  derValues,
  NotDer,
  objectIdentifier,
  textOf,
  unsignedBytes,
  wholeBits,
} from './der.ts';
import { octets, sequence, unsigned, utf8, objectIdentifier as written } from './der-writer.ts';

const only = (bytes: Uint8Array): DerValue | undefined => derValues(bytes)[0];
const hex = (text: string) => Uint8Array.from(text.split(' ').map((byte) => Number.parseInt(byte, 16)));

describe('DER', () => {
  it('reads what our writer writes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70_000, size: 'max' }), (content) => {
        expect(derValues(octets(content))).toEqual([{ tag: 4, content }]);
      }),
      { numRuns: 30 },
    );
    const arcs = fc.tuple(fc.nat(2), fc.nat(39), fc.nat(2 ** 31 - 1), fc.nat(127));
    fc.assert(
      fc.property(arcs, (numbers) => {
        const dotted = numbers.join('.');
        expect(objectIdentifier(only(written(dotted)), 'it')).toBe(dotted);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (text) => {
        expect(textOf(only(utf8(text)), 'it')).toBe(text);
      }),
    );
    expect(unsignedBytes(only(unsigned(hex('80 01'))), 'it')).toEqual(hex('80 01'));
    expect(unsignedBytes(only(unsigned(hex('00'))), 'it')).toEqual(hex('00'));
  });

  it.each([
    ['a value without a length', '30'],
    ['a value that ends too early', '30 02 05'],
    ['an indefinite length', '30 80 00 00'],
    ['a length that is longer than it needs to be', '04 81 01 00'],
    ['a long length with a leading zero', '04 82 00 80'],
    ['a length of four bytes', '04 84 00 00 00 01 00'],
    ['a tag of several bytes', '1f 81 01 00'],
  ])('refuses %s', (_, text) => {
    expect(() => derValues(hex(text))).toThrow(NotDer);
  });

  it.each<[string, (value: DerValue | undefined) => unknown, string]>([
    ['an identifier with leading zeros', (value) => objectIdentifier(value, 'it'), '06 03 2a 80 01'],
    ['an identifier that is cut off', (value) => objectIdentifier(value, 'it'), '06 02 2a 81'],
    ['an identifier beyond 31 bits', (value) => objectIdentifier(value, 'it'), '06 06 2a 88 80 80 80 00'],
    ['an empty identifier', (value) => objectIdentifier(value, 'it'), '06 00'],
    ['a negative integer', (value) => unsignedBytes(value, 'it'), '02 01 80'],
    ['an integer with leading zeros', (value) => unsignedBytes(value, 'it'), '02 02 00 01'],
    ['bits that are no whole bytes', (value) => wholeBits(value, 'it'), '03 02 01 02'],
    ['a PrintableString with other characters', (value) => textOf(value, 'it'), '13 01 40'],
    ['a text that is not UTF-8', (value) => textOf(value, 'it'), '0c 01 ff'],
    ['a text of another type', (value) => textOf(value, 'it'), '14 01 41'],
  ])('refuses %s', (_, read, text) => {
    expect(() => read(only(hex(text)))).toThrow(NotDer);
  });
});

/** Written by Go's crypto/x509. */
const OF_A_KUBELET = `-----BEGIN CERTIFICATE REQUEST-----
MIIBMDCB1gIBADA2MRUwEwYDVQQKEwxzeXN0ZW06bm9kZXMxHTAbBgNVBAMTFHN5
c3RlbTpub2RlOndvcmtlci0wMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEDBfG
GcDvZNH4mRTewfrp5IoMKwxVLgUHT0OU7BXv+0K8r35ltSbpkSfBWJfjtt9Y0kKm
zQm8PzwAgozJK+gmH6A+MDwGCSqGSIb3DQEJDjEvMC0wKwYDVR0RBCQwIoIId29y
a2VyLTCHBAoAAAWHEP0AAAAAAAAAAAAAAAAAAAUwCgYIKoZIzj0EAwIDSQAwRgIh
AMSvlsu6Okp+dYh988Q1AltVMvUZ5o5usLhojXvHK2AXAiEA4tRjHWKGOLy4mkZ1
v6y7imIVzypiJ/nqdLsfzoaYWek=
-----END CERTIFICATE REQUEST-----
`;

describe('the reader of certificate requests', () => {
  const request = aRequest();

  it('gives a request or a reason for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(typeof parseCertificateRequest(pemOf(sequence(bytes)))).toBe('string');
      }),
    );
  });

  it('gives a request or a reason for a request with changed bytes, and never other names than are in its bytes', () => {
    const changes = fc.array(fc.tuple(fc.nat(request.length - 1), fc.nat(255)), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(changes, (changed) => {
        const bytes = Uint8Array.from(request);
        for (const [at, byte] of changed) bytes[at] = byte;
        const found = parseCertificateRequest(pemOf(bytes));
        if (typeof found === 'string') return;
        const raw = new TextDecoder('latin1').decode(bytes);
        for (const text of [...found.commonNames, ...found.dnsNames]) {
          const encoded = new TextDecoder('latin1').decode(new TextEncoder().encode(text));
          expect(raw).toContain(encoded);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads a request of the libraries that kubelets use', () => {
    expect(parseCertificateRequest(OF_A_KUBELET)).toEqual({
      commonNames: ['system:node:worker-0'],
      organizations: ['system:nodes'],
      dnsNames: ['worker-0'],
      addresses: ['10.0.0.5', 'fd00::5'],
      key: 'MBMGByqGSM49AgEGCCqGSM49AwEHA0IABAwXxhnA72TR+JkU3sH66eSKDCsMVS4FB09DlOwV7/tCvK9+ZbUm6ZEnwViX47bfWNJCps0JvD88AIKMySvoJh8=',
    });
  });

  it('refuses a request that is cut off anywhere', () => {
    for (let length = 0; length < request.length; length++) {
      expect(typeof parseCertificateRequest(pemOf(request.subarray(0, length)))).toBe('string');
    }
  });

  it('refuses bytes behind the request', () => {
    const longer = Uint8Array.from([...request, 0x05, 0x00]);
    expect(parseCertificateRequest(pemOf(longer))).toBe(
      'the request cannot be read: the request has 2 parts instead of 1',
    );
  });
});
