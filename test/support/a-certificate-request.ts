/** Certificate requests as kubelets send them, and others. Their signature is not one unless asked for: only a real server verifies it. */

import { base64Text, parseAddress } from '../../src/base/text/index.ts';
import {
  ascii,
  bits,
  explicit,
  implicit,
  objectIdentifier,
  octets,
  sequence,
  setOf,
  unsigned,
  utf8,
} from '../../src/certificates/der-writer.ts';
import type { CertificateSigningRequest, Node } from '../../src/kubernetes/types/index.ts';

export type RequestParts = {
  readonly commonName?: string;
  /** Instead of one. */
  readonly commonNames?: readonly string[];
  readonly organizations?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly addresses?: readonly string[];
  /** Encoded, beside the others. */
  readonly hosts?: readonly Uint8Array[];
  readonly extensions?: readonly Uint8Array[];
  readonly attributes?: readonly Uint8Array[];
  readonly key?: Uint8Array;
  /** By the key, with ECDSA and SHA-256. */
  readonly sign?: (info: Uint8Array) => Uint8Array;
};

const SIGNATURE_KIND = sequence(objectIdentifier('1.2.840.10045.4.3.2'));

export function ellipticKey(curve = '1.2.840.10045.3.1.7', point = new Uint8Array(65).fill(4)): Uint8Array {
  return sequence(sequence(objectIdentifier('1.2.840.10045.2.1'), objectIdentifier(curve)), bits(point));
}

export function rsaKey(sizeBits: number, exponent = Uint8Array.of(1, 0, 1)): Uint8Array {
  const modulus = new Uint8Array(sizeBits / 8).fill(0xff);
  const none = Uint8Array.of(5, 0);
  const kind = sequence(objectIdentifier('1.2.840.113549.1.1.1'), none);
  return sequence(kind, bits(sequence(unsigned(modulus), unsigned(exponent))));
}

export function extension(identifier: string, value: Uint8Array): Uint8Array {
  return sequence(objectIdentifier(identifier), octets(value));
}

export function attribute(identifier: string, value: Uint8Array): Uint8Array {
  return sequence(objectIdentifier(identifier), setOf(value));
}

const name = (identifier: string, text: string) => setOf(sequence(objectIdentifier(identifier), utf8(text)));

/** In DER. */
export function aRequest(parts: RequestParts = {}): Uint8Array {
  const {
    commonName = 'system:node:worker-0',
    commonNames = [commonName],
    organizations = ['system:nodes'],
    key = ellipticKey(),
    sign = () => new Uint8Array(70),
  } = parts;
  const { dnsNames = ['worker-0'], addresses = ['10.0.0.5'], extensions = [], attributes = [] } = parts;
  const hosts = [
    ...dnsNames.map((dnsName) => implicit(2, ascii(dnsName))),
    ...addresses.map((address) => implicit(7, Uint8Array.from(parseAddress(address)?.bytes ?? []))),
    ...(parts.hosts ?? []),
  ];
  const asked = [...(hosts.length === 0 ? [] : [extension('2.5.29.17', sequence(...hosts))]), ...extensions];
  const extensionRequest = attribute('1.2.840.113549.1.9.14', sequence(...asked));
  const all = [...(asked.length === 0 ? [] : [extensionRequest]), ...attributes];
  const subject = sequence(
    ...organizations.map((organization) => name('2.5.4.10', organization)),
    ...commonNames.map((one) => name('2.5.4.3', one)),
  );
  const info = sequence(unsigned(Uint8Array.of(0)), subject, key, explicit(0, joined(all)));
  return sequence(info, SIGNATURE_KIND, bits(sign(info)));
}

function joined(items: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(items.flatMap((item) => [...item]));
}

export function pemOf(der: Uint8Array): string {
  const lines = base64Text(der).match(/.{1,64}/g) ?? [];
  const kind = 'CERTIFICATE REQUEST';
  return [`-----BEGIN ${kind}-----`, ...lines, `-----END ${kind}-----`, ''].join('\n');
}

type Spec = CertificateSigningRequest['spec'];

/** As the kubelet of worker-0 creates it. */
export function aSigningRequest(
  parts: RequestParts | string = {},
  spec: Partial<Spec> = {},
): CertificateSigningRequest {
  const pem = typeof parts === 'string' ? parts : pemOf(aRequest(parts));
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'csr-x' },
    spec: {
      request: base64Text(new TextEncoder().encode(pem)),
      signerName: 'kubernetes.io/kubelet-serving',
      usages: ['digital signature', 'server auth'],
      username: 'system:node:worker-0',
      groups: ['system:nodes', 'system:authenticated'],
      ...spec,
    },
  };
}

/** As a kubelet that joins creates it for the client certificate of worker-0, with the token of node-bootstrapper. */
export function aJoiningRequest(
  parts: RequestParts = {},
  spec: Partial<Spec> = {},
): CertificateSigningRequest {
  const namespace = 'openshift-machine-config-operator';
  return aSigningRequest(
    { dnsNames: [], addresses: [], ...parts },
    {
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      usages: ['digital signature', 'client auth'],
      username: `system:serviceaccount:${namespace}:node-bootstrapper`,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
      ...spec,
    },
  );
}

export function aNodeAt(
  name: string,
  ...addresses: readonly (readonly [type: string, address: string])[]
): Node {
  return {
    ...{ apiVersion: 'v1', kind: 'Node', spec: {} },
    metadata: { name, labels: { 'node-role.kubernetes.io/worker': '' } },
    status: { addresses: addresses.map(([type, address]) => ({ type, address })) },
  };
}
