/**
 * Requests for certificates: what we have read and approved is what the signer reads and signs. Its library is more generous, so
 * that the comparison goes one way.
 */
import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type CertificateRequest,
  parseCertificateRequest,
} from '../../src/certificates/certificate-request.ts';
import { aRequest, pemOf, rsaKey } from '../support/a-certificate-request.ts';
import type { Oracle } from './oracle.ts';
import { withOracle } from './with-oracle.ts';

/** A point of its curve, which the signer checks. */
const KEY = new Uint8Array(
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'der' }),
);

type Written = { readonly pem: string; readonly key: string };

type Read = {
  readonly commonName: string;
  readonly organizations: readonly string[] | null;
  readonly dnsNames: readonly string[] | null;
  readonly addresses: readonly string[] | null;
  readonly others: number;
  readonly key: string;
  readonly error?: string;
};

await withOracle('certificates', (oracle) => {
  it('a request is read as the libraries of the kubelet write it', async () => {
    const asked = {
      commonName: 'system:node:worker-0',
      organizations: ['system:nodes'],
      dnsNames: ['worker-0', 'worker-0.example.com'],
      addresses: ['10.0.0.5', 'fd00::5'],
    };
    const { pem, key } = (await oracle.ask('write-request', asked)) as Written;
    const { commonName, ...others } = asked;
    expect(parseCertificateRequest(pem)).toEqual({ commonNames: [commonName], ...others, key });
  });

  it('a request of our tests is read in the same way by the signer', async () => {
    for (const parts of [{}, { key: rsaKey(2048) }, { dnsNames: [], addresses: ['fd00::5'] }]) {
      expect(await isReadTheSame(oracle, pemOf(aRequest({ key: KEY, ...parts })))).toBe(true);
    }
  });

  it('a request that we accept is read in the same way by the signer, whatever was changed in its bytes', async () => {
    const [ours, theirs] = [
      aRequest({ key: KEY, addresses: ['10.0.0.5', 'fd00::5'] }),
      await written(oracle),
    ];
    const change = fc.record({
      request: fc.constantFrom(ours, theirs),
      // A byte is replaced by another, or the tag or length there by a similar one.
      edits: fc.array(
        fc.tuple(
          fc.nat(),
          fc.oneof(fc.nat(255), fc.constantFrom(0x0c, 0x13, 0x16, 0x30, 0x31, 0x80, 0x82, 0x87)),
        ),
        {
          minLength: 1,
          maxLength: 3,
        },
      ),
    });
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(change, async ({ request, edits }) => {
        const bytes = Uint8Array.from(request);
        for (const [at, byte] of edits) bytes[at % bytes.length] = byte;
        if (await isReadTheSame(oracle, pemOf(bytes))) compared++;
      }),
      { numRuns: 5_000 },
    );
    // Changes of names and of the signature; without them the comparison would show nothing.
    expect(compared).toBeGreaterThan(500);
  });
});

async function written(oracle: Oracle): Promise<Uint8Array> {
  const asked = {
    commonName: 'system:node:a',
    organizations: ['system:nodes'],
    dnsNames: ['a.b'],
    addresses: ['10.0.0.5'],
  };
  const { pem } = (await oracle.ask('write-request', asked)) as Written;
  return Uint8Array.from(atob(pem.replace(/-----[^-]*-----|\n/g, '')), (character) =>
    character.charCodeAt(0),
  );
}

/** Whether both accept it: a request that one of us refuses is not signed. */
async function isReadTheSame(oracle: Oracle, pem: string): Promise<boolean> {
  const ours = parseCertificateRequest(pem);
  if (typeof ours === 'string') return false;
  const theirs = (await oracle.ask('read-request', { pem })) as Read;
  if (theirs.error !== undefined) return false;
  expect(comparable(ours)).toEqual({
    commonName: theirs.commonName,
    organizations: theirs.organizations ?? [],
    dnsNames: theirs.dnsNames ?? [],
    addresses: theirs.addresses ?? [],
    others: theirs.others,
    key: theirs.key,
  });
  return true;
}

function comparable({ commonNames, ...rest }: CertificateRequest) {
  return { commonName: commonNames.at(-1) ?? '', ...rest, others: 0 };
}
