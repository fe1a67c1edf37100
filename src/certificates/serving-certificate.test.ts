import { describe, expect, it } from 'vitest';
import {
  aNodeAt,
  aSigningRequest,
  attribute,
  ellipticKey,
  extension,
  type RequestParts,
  rsaKey,
} from '../../test/support/a-certificate-request.ts';
import type { CertificateSigningRequest, Node } from '../kubernetes/types/index.ts';
import { ascii, boolean, implicit, sequence, utf8 } from './der-writer.ts';
import type { Verdict } from './kubelet-request.ts';
import { decideServingCertificate } from './serving-certificate.ts';

const NODE = aNodeAt(
  'worker-0',
  ['InternalIP', '10.0.0.5'],
  ['InternalIP', 'fd00:0:0::5'],
  ['ExternalIP', '192.0.2.5'],
  ['Hostname', 'Worker-0'],
  ['InternalDNS', 'worker-0.internal'],
  ['ExternalDNS', 'worker-0.example.com'],
);

type Surroundings = {
  readonly node?: Node | undefined;
  readonly isInPool?: boolean;
  readonly others?: { readonly [address: string]: string };
};

function decide(csr: CertificateSigningRequest, around: Surroundings = {}): Verdict {
  const { isInPool = true, others = {} } = around;
  const node = 'node' in around ? around.node : NODE;
  const otherNodeWith = (address: string) => others[address];
  return decideServingCertificate({ csr, node, isInPool, otherNodeWith, apiServerHosts: ['10.96.0.1'] });
}

function whyLeft(csr: CertificateSigningRequest, around?: Surroundings): string {
  const verdict = decide(csr, around);
  return verdict.kind === 'leave' ? verdict.why : verdict.kind;
}

describe('a request for a serving certificate is approved', () => {
  it.each<[string, RequestParts]>([
    ['for its host name and address', {}],
    ['for an address alone', { dnsNames: [] }],
    ['for a name alone', { addresses: [] }],
    [
      'for all of its addresses',
      {
        dnsNames: ['worker-0', 'worker-0.internal', 'worker-0.example.com'],
        addresses: ['10.0.0.5', 'fd00::5', '192.0.2.5'],
      },
    ],
    ['for its name in another case', { dnsNames: ['WORKER-0'] }],
    ['for its IPv4 address in the form of IPv6', { addresses: ['::ffff:10.0.0.5'] }],
    ['with an RSA key of 2048 bits', { key: rsaKey(2048) }],
    ['with an RSA key of 8192 bits', { key: rsaKey(8192) }],
    ['with a key on P-384', { key: ellipticKey('1.3.132.0.34', new Uint8Array(97).fill(4)) }],
  ])('if it comes from the kubelet of the node, %s', (_, parts) => {
    expect(decide(aSigningRequest(parts))).toMatchObject({ kind: 'approve' });
  });

  it('with key encipherment, which kubelets with an RSA key ask for', () => {
    const usages = ['key encipherment', 'server auth', 'digital signature'];
    expect(decide(aSigningRequest({}, { usages }))).toEqual({
      kind: 'approve',
      node: 'worker-0',
      hosts: ['worker-0', '10.0.0.5'],
      reason: 'KubeletServingCertificate',
      message: 'The request is of the kubelet of Node worker-0, for addresses of this Node alone.',
    });
  });
});

describe('a request for a serving certificate is left for people', () => {
  it.each<[string, RequestParts, string]>([
    [
      'for another node',
      { commonName: 'system:node:worker-1' },
      'it is for "system:node:worker-1", and was sent by "system:node:worker-0"',
    ],
    [
      'for an administrator',
      { organizations: ['system:masters'] },
      'its organization is "system:masters", not system:nodes',
    ],
    [
      'with two organizations',
      { organizations: ['system:nodes', 'system:masters'] },
      'its organization is "system:nodes, system:masters", not system:nodes',
    ],
    ['without an organization', { organizations: [] }, 'its organization is "", not system:nodes'],
    ['without hosts', { dnsNames: [], addresses: [] }, 'it names no host'],
    [
      'with an empty list of hosts',
      { dnsNames: [], addresses: [], extensions: [extension('2.5.29.17', sequence())] },
      'the request cannot be read: the list of hosts is empty',
    ],
    [
      'for an address that the Node does not have',
      { addresses: ['10.0.0.5', '10.0.0.6'] },
      '"10.0.0.6" is not among the addresses of the Node',
    ],
    [
      'for a name that the Node does not have',
      { dnsNames: ['worker-1'] },
      '"worker-1" is not among the addresses of the Node',
    ],
    [
      'for a wildcard',
      { dnsNames: ['*.example.com'] },
      'the request cannot be read: a DNS name is malformed',
    ],
    [
      'for a name with a zero byte',
      { dnsNames: ['worker-0\0.evil'] },
      'the request cannot be read: a DNS name is malformed',
    ],
    [
      'for an email address',
      { hosts: [implicit(1, ascii('a@b'))] },
      'the request cannot be read: it asks for an email address',
    ],
    [
      'for a URI',
      { hosts: [implicit(6, ascii('https://a'))] },
      'the request cannot be read: it asks for a URI',
    ],
    [
      'for a directory name',
      { hosts: [Uint8Array.of(0xa4, 0)] },
      'the request cannot be read: it asks for a directory name',
    ],
    [
      'for an address of five bytes',
      { hosts: [implicit(7, new Uint8Array(5))] },
      'the request cannot be read: an IP address has neither 4 nor 16 bytes',
    ],
    [
      'as a CA',
      { extensions: [extension('2.5.29.19', sequence(boolean(true)))] },
      'the request cannot be read: it asks for the extension 2.5.29.19',
    ],
    [
      'with hosts in two extensions',
      { extensions: [extension('2.5.29.17', sequence(implicit(2, ascii('a'))))] },
      'the request cannot be read: the list of extensions has 2 parts instead of 1',
    ],
    [
      'with another attribute',
      { attributes: [attribute('1.2.840.113549.1.9.7', utf8('secret'))] },
      'the request cannot be read: the list of attributes has 2 parts instead of 1',
    ],
    [
      'with an RSA key of 1024 bits',
      { key: rsaKey(1024) },
      'the request cannot be read: the RSA key has 1024 bits; 2048 to 8192 are accepted',
    ],
    [
      'with an RSA exponent of 1',
      { key: rsaKey(2048, Uint8Array.of(1)) },
      'the request cannot be read: the exponent of the key is not accepted',
    ],
    [
      'with a key on P-224',
      { key: ellipticKey('1.3.132.0.33') },
      'the request cannot be read: the curve 1.3.132.0.33 is not P-256, P-384 or P-521',
    ],
    [
      'with half a point',
      { key: ellipticKey(undefined, new Uint8Array(33).fill(2)) },
      'the request cannot be read: the key is no point of its curve',
    ],
  ])('%s', (_, parts, why) => {
    expect(whyLeft(aSigningRequest(parts))).toBe(why);
  });

  it.each<[string, Partial<CertificateSigningRequest['spec']>, string]>([
    [
      'from a person',
      { username: 'admin', groups: ['system:masters'] },
      'it was sent by "admin", which is not the kubelet of a node (user system:node:NAME in the group system:nodes)',
    ],
    [
      'from a user with the name of a node and without its group',
      { groups: ['system:authenticated'] },
      'it was sent by "system:node:worker-0", which is not the kubelet of a node (user system:node:NAME in the group system:nodes)',
    ],
    [
      'from a node without a name',
      { username: 'system:node:' },
      'it was sent by "system:node:", which is not the kubelet of a node (user system:node:NAME in the group system:nodes)',
    ],
    [
      'from another node',
      { username: 'system:node:worker-1' },
      'it is for "system:node:worker-0", and was sent by "system:node:worker-1"',
    ],
    [
      'for a client',
      { usages: ['digital signature', 'client auth'] },
      'its usages are "digital signature, client auth", not those of a server: digital signature, server auth, and key encipherment with RSA',
    ],
    [
      'for a server and a client',
      { usages: ['digital signature', 'server auth', 'client auth'] },
      'its usages are "digital signature, server auth, client auth", not those of a server: digital signature, server auth, and key encipherment with RSA',
    ],
    [
      'with a usage twice',
      { usages: ['key encipherment', 'key encipherment', 'digital signature', 'server auth'] },
      'its usages are "key encipherment, key encipherment, digital signature, server auth", not those of a server: digital signature, server auth, and key encipherment with RSA',
    ],
    [
      'without usages',
      { usages: [] },
      'its usages are "", not those of a server: digital signature, server auth, and key encipherment with RSA',
    ],
    ['that is not base64', { request: '!' }, 'its request is not base64'],
  ])('%s', (_, spec, why) => {
    expect(whyLeft(aSigningRequest({}, spec))).toBe(why);
  });

  it.each<[string, Surroundings, string]>([
    ['without a Node', { node: undefined }, 'there is no Node "worker-0"'],
    ['of a Node in no pool', { isInPool: false }, 'Node "worker-0" is in no pool'],
    [
      'of a Node without addresses',
      { node: aNodeAt('worker-0') },
      '"worker-0" is not among the addresses of the Node',
    ],
    [
      'of a Node with addresses of unknown types',
      { node: aNodeAt('worker-0', ['Other', 'worker-0']) },
      '"worker-0" is not among the addresses of the Node',
    ],
    [
      'of a Node that shares an address',
      { others: { '10.0.0.5': 'master-0' } },
      '"10.0.0.5" is also an address of Node "master-0"',
    ],
  ])('%s, until the Node changes', (_, around, why) => {
    expect(decide(aSigningRequest(), around)).toEqual({ kind: 'leave', why, mayChange: true });
  });

  it.each([
    ['the API server', '10.96.0.1', 'is an address of the API server'],
    ['the host itself', '127.0.0.1', 'is an address of the host itself'],
    ['the host itself', '::1', 'is an address of the host itself'],
    ['every interface', '0.0.0.0', 'is an unspecified address'],
    ['its link', 'fe80::1', 'is a link-local address'],
    ['a name of the host', 'localhost', 'is a name of the host itself'],
    ['the Service of the API server', 'kubernetes', 'is a name of a Service'],
    ['the Service of the API server', 'Kubernetes.default', 'is a name of a Service'],
    ['a Service', 'vault.prod.svc', 'is a name of a Service'],
    ['a Service', 'vault.prod.svc.cluster.local', 'is a name of a Service'],
  ])('of a Node that claims %s (%s)', (_, host, why) => {
    const node = aNodeAt('worker-0', ['Hostname', host]);
    const isAddress = /^[\d.]+$|:/.test(host);
    const csr = aSigningRequest({ dnsNames: isAddress ? [] : [host], addresses: isAddress ? [host] : [] });
    expect(whyLeft(csr, { node })).toBe(`"${host}" ${why}`);
  });

  it('with a text that cannot be read, in whole or in part', () => {
    const pem = atob(aSigningRequest().spec.request);
    for (const text of [
      '',
      'x',
      pem + pem,
      `x\n${pem}`,
      pem.replace('\n', '\nA: b\n\n'),
      pem.replaceAll('REQUEST', 'REQUES'),
    ]) {
      expect(whyLeft(aSigningRequest(text))).toBe('the request is not one block CERTIFICATE REQUEST of PEM');
    }
    expect(whyLeft(aSigningRequest(pem + ' '.repeat(40_000)))).toBe('the request is larger than 32768 bytes');
  });

  it('with a short reason, whatever its names are', () => {
    const csr = aSigningRequest({ commonName: 'x'.repeat(1_000) });
    expect(whyLeft(csr).length).toBeLessThan(400);
  });
});

describe('a request is not looked at', () => {
  it.each<[string, CertificateSigningRequest]>([
    [
      'for another signer',
      aSigningRequest({}, { signerName: 'kubernetes.io/kube-apiserver-client-kubelet' }),
    ],
    [
      'that is approved',
      { ...aSigningRequest(), status: { conditions: [{ type: 'Approved', status: 'True' }] } },
    ],
    [
      'that is denied',
      { ...aSigningRequest(), status: { conditions: [{ type: 'Denied', status: 'True' }] } },
    ],
    ['that is signed', { ...aSigningRequest(), status: { certificate: 'eA==' } }],
  ])('%s', (_, csr) => {
    expect(decide(csr)).toEqual({ kind: 'none' });
  });
});
