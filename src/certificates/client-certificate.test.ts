import { describe, expect, it } from 'vitest';
import {
  aJoiningRequest,
  aNodeAt,
  attribute,
  ellipticKey,
  extension,
  type RequestParts,
  rsaKey,
} from '../../test/support/a-certificate-request.ts';
import type { CertificateSigningRequest } from '../kubernetes/types/index.ts';
import {
  type ApprovedRequest,
  approvedRequest,
  decideClientCertificate,
  MAX_WITHOUT_NODE,
} from './client-certificate.ts';
import { ascii, boolean, implicit, sequence, utf8 } from './der-writer.ts';
import type { Verdict } from './kubelet-request.ts';

const NAMESPACE = 'openshift-machine-config-operator';
const ACCOUNT = `system:serviceaccount:${NAMESPACE}:node-bootstrapper`;
const NOW_MS = Date.UTC(2026, 0, 2);
const MINUTE = 60_000;

type Spec = CertificateSigningRequest['spec'];
type Surroundings = {
  /** Names of Nodes. */
  readonly nodes?: readonly string[];
  readonly isInPool?: boolean;
  readonly approved?: readonly ApprovedRequest[];
};

function decide(csr: CertificateSigningRequest, around: Surroundings = {}): Verdict {
  const { nodes = [], isInPool = true, approved = [] } = around;
  return decideClientCertificate({
    ...{ csr, namespace: NAMESPACE, nowMs: NOW_MS },
    nodeOf: (name) => (nodes.includes(name) ? aNodeAt(name) : undefined),
    isInPool: () => isInPool,
    approved: () => approved,
  });
}

function whyLeft(csr: CertificateSigningRequest, around?: Surroundings): string {
  const verdict = decide(csr, around);
  return verdict.kind === 'leave' ? verdict.why : verdict.kind;
}

const OF_NODE: Partial<Spec> = {
  username: 'system:node:worker-0',
  groups: ['system:nodes', 'system:authenticated'],
};
const aRenewal = (parts: RequestParts = {}, spec: Partial<Spec> = {}) =>
  aJoiningRequest(parts, { ...OF_NODE, ...spec });

/** Minutes ago, as `approvedRequest` reads it of a request with the key of `aJoiningRequest`, unless another is given. */
function anApproved(node: string, minutesAgo: number, given: Partial<ApprovedRequest> = {}): ApprovedRequest {
  const read = approvedRequest(aJoiningRequest({ commonName: `system:node:${node}` }), {
    namespace: NAMESPACE,
    atMs: NOW_MS - minutesAgo * MINUTE,
  });
  if (read === undefined) throw new Error(`${node} is no node`);
  return { ...read, name: `of-${node}`, ...given };
}

const KEYS: readonly (readonly [string, RequestParts])[] = [
  ['on P-256', {}],
  ['on P-384', { key: ellipticKey('1.3.132.0.34', new Uint8Array(97).fill(4)) }],
  ['of RSA with 2048 bits', { key: rsaKey(2048) }],
  ['of RSA with 8192 bits', { key: rsaKey(8192) }],
];

describe('a request for the first client certificate is approved', () => {
  it.each(KEYS)('if it was sent with the token of machines that join, with a key %s', (_, parts) => {
    expect(decide(aJoiningRequest(parts))).toEqual({
      kind: 'approve',
      node: 'worker-0',
      hosts: [],
      reason: 'FirstKubeletClientCertificate',
      message:
        'The request was sent with the token of machines that join, and there is no Node worker-0 yet.',
    });
  });

  it('with key encipherment, which kubelets with an RSA key ask for', () => {
    const usages = ['key encipherment', 'client auth', 'digital signature'];
    expect(decide(aJoiningRequest({}, { usages }))).toMatchObject({ kind: 'approve' });
  });

  it('of a node whose name is a domain', () => {
    const csr = aJoiningRequest({ commonName: 'system:node:worker-0.example.com' });
    expect(decide(csr)).toMatchObject({ kind: 'approve', node: 'worker-0.example.com' });
  });

  it('beside other Nodes, and beside other machines that join', () => {
    const around = { nodes: ['worker-1'], approved: [anApproved('worker-2', 1)] };
    expect(decide(aJoiningRequest(), around)).toMatchObject({ kind: 'approve' });
  });

  it('again for the same key, of a kubelet that has lost its certificate and kept its key', () => {
    expect(decide(aJoiningRequest(), { approved: [anApproved('worker-0', 1)] })).toMatchObject({
      kind: 'approve',
    });
  });

  it('for another key once the former one is an hour old', () => {
    const around = (minutesAgo: number) => ({ approved: [anApproved('worker-0', minutesAgo, { key: 'x' })] });
    expect(decide(aJoiningRequest(), around(59))).toMatchObject({
      kind: 'leave',
      untilMs: NOW_MS + MINUTE,
    });
    expect(decide(aJoiningRequest(), around(60))).toMatchObject({ kind: 'approve' });
  });
});

describe('a request for the first client certificate is left for people', () => {
  it.each<[string, RequestParts, string]>([
    ['for an administrator', { commonName: 'admin' }, 'it is for "admin", not for a node (system:node:NAME)'],
    ['without a name', { commonNames: [] }, 'it is for "", not for a node (system:node:NAME)'],
    [
      'for two nodes',
      { commonNames: ['system:node:worker-0', 'system:node:worker-1'] },
      'it is for "system:node:worker-0, system:node:worker-1", not for a node (system:node:NAME)',
    ],
    ['for a node without a name', { commonName: 'system:node:' }, '"" is no name for a Node'],
    [
      'for a name that no Node can have',
      { commonName: 'system:node:Worker_0' },
      '"Worker_0" is no name for a Node',
    ],
    [
      'for a name that is too long for a Node',
      { commonName: `system:node:${'x'.repeat(254)}` },
      `"${'x'.repeat(253)}…" is no name for a Node`,
    ],
    [
      'for the group of administrators',
      { organizations: ['system:masters'] },
      'its organization is "system:masters", not system:nodes',
    ],
    [
      'with two organizations',
      { organizations: ['system:nodes', 'system:masters'] },
      'its organization is "system:nodes, system:masters", not system:nodes',
    ],
    ['without an organization', { organizations: [] }, 'its organization is "", not system:nodes'],
    ['for a name', { dnsNames: ['a'] }, 'it is for hosts, which a client has not: "a"'],
    ['for an address', { addresses: ['10.0.0.5'] }, 'it is for hosts, which a client has not: "10.0.0.5"'],
    [
      'with an empty list of hosts',
      { extensions: [extension('2.5.29.17', sequence())] },
      'the request cannot be read: the list of hosts is empty',
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
      'as a CA',
      { extensions: [extension('2.5.29.19', sequence(boolean(true)))] },
      'the request cannot be read: it asks for the extension 2.5.29.19',
    ],
    [
      'with an attribute',
      { attributes: [attribute('1.2.840.113549.1.9.7', utf8('secret'))] },
      'the request cannot be read: it has the attribute 1.2.840.113549.1.9.7',
    ],
    [
      'with an RSA key of 1024 bits',
      { key: rsaKey(1024) },
      'the request cannot be read: the RSA key has 1024 bits; 2048 to 8192 are accepted',
    ],
    [
      'with a key on P-224',
      { key: ellipticKey('1.3.132.0.33') },
      'the request cannot be read: the curve 1.3.132.0.33 is not P-256, P-384 or P-521',
    ],
  ])('%s', (_, parts, why) => {
    expect(decide(aJoiningRequest(parts))).toEqual({ kind: 'leave', why, mayChange: false });
  });

  const USAGES = 'not those of a client: client auth, digital signature, and key encipherment with RSA';
  it.each<[string, Partial<Spec>, string]>([
    [
      'as a server',
      { usages: ['digital signature', 'server auth'] },
      `its usages are "digital signature, server auth", ${USAGES}`,
    ],
    [
      'as a client and a server',
      { usages: ['digital signature', 'client auth', 'server auth'] },
      `its usages are "digital signature, client auth, server auth", ${USAGES}`,
    ],
    ['as a client alone', { usages: ['client auth'] }, `its usages are "client auth", ${USAGES}`],
    [
      'with a usage twice',
      { usages: ['client auth', 'client auth', 'digital signature'] },
      `its usages are "client auth, client auth, digital signature", ${USAGES}`,
    ],
    ['that is not base64', { request: '!' }, 'its request is not base64'],
    [
      'that is no certificate request',
      { request: btoa('x') },
      'the request is not one block CERTIFICATE REQUEST of PEM',
    ],
  ])('%s', (_, spec, why) => {
    expect(decide(aJoiningRequest({}, spec))).toEqual({ kind: 'leave', why, mayChange: false });
  });

  const sender = (name: string) =>
    `it was sent by "${name}", which is neither the account of machines that join (${ACCOUNT}, with its groups alone) nor the kubelet of a node (user system:node:NAME in the group system:nodes)`;
  const OWN_GROUPS = [
    'system:serviceaccounts',
    `system:serviceaccounts:${NAMESPACE}`,
    'system:authenticated',
  ];
  it.each<[string, Partial<Spec> & { readonly username: string }]>([
    ['of `kubeadm join`', { username: 'system:bootstrap:abcdef' }],
    ['of another account', { username: `system:serviceaccount:${NAMESPACE}:machine-config-daemon` }],
    [
      'of the account of that name in another namespace',
      { username: 'system:serviceaccount:default:node-bootstrapper' },
    ],
    ['of that account without its groups', { username: ACCOUNT, groups: ['system:authenticated'] }],
    [
      'of that account with the groups of another namespace',
      {
        username: ACCOUNT,
        groups: ['system:authenticated', 'system:serviceaccounts', 'system:serviceaccounts:x'],
      },
    ],
    ['of that account with another group', { username: ACCOUNT, groups: [...OWN_GROUPS, 'system:masters'] }],
    ['of an administrator', { username: 'admin', groups: ['system:masters'] }],
    [
      'of a user with the name of a node and without its group',
      { ...OF_NODE, username: 'system:node:worker-0', groups: [] },
    ],
    ['of a node without a name', { ...OF_NODE, username: 'system:node:' }],
  ])('%s, whatever another approver does with it', (_, spec) => {
    const why = sender(spec.username);
    expect(decide(aJoiningRequest({}, spec))).toEqual({ kind: 'leave', why, mayChange: true });
  });

  it('of a Node that exists, until it is deleted', () => {
    expect(decide(aJoiningRequest(), { nodes: ['worker-0'] })).toEqual({
      kind: 'leave',
      why: 'Node "worker-0" exists already; a machine that was installed anew joins once it is deleted (kubectl delete node worker-0)',
      mayChange: true,
    });
  });

  it('for a name that another key has got within the last hour, until that is forgotten', () => {
    const csr = aJoiningRequest({ key: ellipticKey(undefined, new Uint8Array(65).fill(5).fill(4, 0, 1)) });
    expect(decide(csr, { approved: [anApproved('worker-0', 20)] })).toEqual({
      kind: 'leave',
      why: 'request "of-worker-0" for the same node was approved within the last hour, with another key; if that machine has lost its certificate: kubectl delete csr of-worker-0',
      mayChange: true,
      untilMs: NOW_MS + 40 * MINUTE,
    });
  });

  it('for a name that another key has got in the future of our clock, for an hour and no longer', () => {
    const approved = [anApproved('worker-0', -1_000_000, { key: 'x' })];
    expect(decide(aJoiningRequest(), { approved })).toMatchObject({ untilMs: NOW_MS + 60 * MINUTE });
  });

  it('without a command for people that the name of another request is part of, where that is none', () => {
    const name = 'x; $(reboot)';
    const why = whyLeft(aJoiningRequest(), { approved: [anApproved('worker-0', 1, { key: 'x', name })] });
    expect(why).toContain('request "x; $(reboot)" for the same node');
    expect(why).toContain('kubectl delete csr NAME');
  });
});

describe('as many nodes as join at a time are limited', () => {
  const others = (count: number, given: Partial<ApprovedRequest> = {}) =>
    Array.from({ length: count }, (_, index) => anApproved(`other-${index}`, 10 + index / 10, given));

  it('to those that have not registered yet', () => {
    const approved = others(MAX_WITHOUT_NODE);
    expect(decide(aJoiningRequest(), { approved: approved.slice(1) })).toMatchObject({ kind: 'approve' });
    expect(decide(aJoiningRequest(), { approved, nodes: ['other-7'] })).toMatchObject({ kind: 'approve' });
    expect(decide(aJoiningRequest(), { approved })).toEqual({
      kind: 'leave',
      why: '100 nodes whose certificates were approved within the last hour have not registered yet; the next one is approved when one of them has',
      mayChange: true,
      // The oldest was approved 19.9 minutes ago.
      untilMs: NOW_MS + (60 - 19.9) * MINUTE,
    });
  });

  it('by nodes, not by their requests', () => {
    const approved = [...others(MAX_WITHOUT_NODE - 1), anApproved('other-0', 1, { name: 'again' })];
    expect(decide(aJoiningRequest(), { approved })).toMatchObject({ kind: 'approve' });
  });

  it('without those that join with other tokens', () => {
    const approved = others(MAX_WITHOUT_NODE, { isJoining: false });
    expect(decide(aJoiningRequest(), { approved })).toMatchObject({ kind: 'approve' });
  });

  it('without holding up one that is among them', () => {
    const approved = [...others(MAX_WITHOUT_NODE - 1), anApproved('worker-0', 1)];
    expect(decide(aJoiningRequest(), { approved })).toMatchObject({ kind: 'approve' });
  });
});

describe('the renewal of a client certificate', () => {
  const NODES = { nodes: ['worker-0'] };

  it.each(KEYS)('is approved for a Node in a pool, with a key %s', (_, parts) => {
    expect(decide(aRenewal(parts), NODES)).toEqual({
      kind: 'approve',
      node: 'worker-0',
      hosts: [],
      reason: 'KubeletClientCertificateRenewal',
      message: 'The request is of the kubelet of Node worker-0, for a certificate of the same name.',
    });
  });

  it('is approved while machines join, however many', () => {
    const approved = Array.from({ length: 200 }, (_, index) => anApproved(`other-${index}`, 1));
    const renewed = anApproved('worker-0', 1, { key: 'x' });
    expect(decide(aRenewal(), { ...NODES, approved: [...approved, renewed] })).toMatchObject({
      kind: 'approve',
    });
  });

  it.each<[string, CertificateSigningRequest, Surroundings, string, boolean]>([
    [
      'for another node',
      aRenewal({ commonName: 'system:node:worker-1' }),
      { nodes: ['worker-0', 'worker-1'] },
      'it is for "system:node:worker-1", and was sent by "system:node:worker-0"',
      false,
    ],
    [
      'for the group of administrators',
      aRenewal({ organizations: ['system:masters'] }),
      NODES,
      'its organization is "system:masters", not system:nodes',
      false,
    ],
    [
      'for a host',
      aRenewal({ dnsNames: ['worker-0'] }),
      NODES,
      'it is for hosts, which a client has not: "worker-0"',
      false,
    ],
    ['of a Node that is gone', aRenewal(), {}, 'there is no Node "worker-0"', true],
    [
      'of a Node in no pool',
      aRenewal(),
      { ...NODES, isInPool: false },
      'Node "worker-0" is in no pool',
      true,
    ],
  ])('is left %s', (_, csr, around, why, mayChange) => {
    expect(decide(csr, around)).toEqual({ kind: 'leave', why, mayChange });
  });
});

describe('a request is not looked at', () => {
  it.each<[string, CertificateSigningRequest]>([
    ['for another signer', aJoiningRequest({}, { signerName: 'kubernetes.io/kubelet-serving' })],
    [
      'that is approved',
      { ...aJoiningRequest(), status: { conditions: [{ type: 'Approved', status: 'True' }] } },
    ],
    [
      'that is denied',
      { ...aJoiningRequest(), status: { conditions: [{ type: 'Denied', status: 'True' }] } },
    ],
    ['that is signed', { ...aJoiningRequest(), status: { certificate: 'eA==' } }],
  ])('%s', (_, csr) => {
    expect(decide(csr)).toEqual({ kind: 'none' });
  });
});

describe('an approved request', () => {
  const approvedAt = (condition: object, spec: Partial<Spec> = {}, parts: RequestParts = {}) => {
    const csr = aJoiningRequest(parts, spec);
    const created = { ...csr.metadata, creationTimestamp: '2026-01-01T01:00:00Z' };
    const conditions = [{ type: 'Approved', status: 'True', ...condition }];
    return approvedRequest({ ...csr, metadata: created, status: { conditions } }, { namespace: NAMESPACE });
  };
  const at = (hour: number) => Date.UTC(2026, 0, 1, hour);

  it.each([
    [
      'its last change',
      { lastUpdateTime: '2026-01-01T03:00:00Z', lastTransitionTime: '2026-01-01T02:00:00Z' },
      3,
    ],
    ['its transition where it has no other time', { lastTransitionTime: '2026-01-01T02:00:00Z' }, 2],
    ['the creation of the request where it has no time', {}, 1],
  ])('counts from %s', (_, condition, hour) => {
    expect(approvedAt(condition)?.atMs).toBe(at(hour));
  });

  it('is known by its node, its key and its sender', () => {
    const [first, other] = [approvedAt({}), approvedAt({}, {}, { key: rsaKey(2048) })];
    expect(first).toMatchObject({ name: 'csr-x', node: 'worker-0', isJoining: true });
    expect(first?.key).toBe(approvedAt({}, OF_NODE)?.key);
    expect(first?.key).not.toBe(other?.key);
    expect(approvedAt({}, OF_NODE)).toMatchObject({ node: 'worker-0', isJoining: false });
  });

  it.each<[string, ReturnType<typeof approvedAt>]>([
    ['that is not approved', approvedRequest(aJoiningRequest(), { namespace: NAMESPACE })],
    ['that is denied', approvedAt({ type: 'Denied' })],
    ['whose approval is not true', approvedAt({ status: 'False' })],
    ['that is for no node', approvedAt({}, {}, { commonName: 'abcdefghijklworker-0' })],
    ['that cannot be read', approvedAt({}, { request: '!' })],
  ])('is none %s', (_, read) => {
    expect(read).toBeUndefined();
  });
});
