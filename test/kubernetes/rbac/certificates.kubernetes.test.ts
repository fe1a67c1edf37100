/**
 * The approver of serving certificates on a real server, with the token of the controllers: it approves the certificate of a kubelet
 * for its own node, and none for another. Requests are sent by the users that the server says they are of.
 */
import { generateKeyPairSync, sign as signWith, X509Certificate } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog, systemClock, systemRandom } from '../../../src/base/env.ts';
import { createServingCertificateController } from '../../../src/controllers/certificates/serving-certificates.ts';
import { parseManifests } from '../../../src/install/index.ts';
import { listOf } from '../../contract/loose.ts';
import { control } from '../../rollout/control.ts';
import { partsFor } from '../../rollout/world-process.ts';
import {
  aNodeAt,
  aRequest,
  aSigningRequest,
  pemOf,
  type RequestParts,
} from '../../support/a-certificate-request.ts';
import { aPool } from '../../support/build.ts';
import { textOfFile } from '../../support/manifests-files.ts';
import type { Credentials } from '../kubeconfig.ts';
import { startKubernetes } from '../kubernetes.ts';
import { type InstalledCluster, installOn } from './installed-cluster.ts';
import { rulesOf } from './rights.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
const SERVICE_ADDRESS = '10.96.0.1';
/** The only extended usage. */
const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1';
/** Of the server; on two busy cores. */
const LIMIT_MS = 60_000;

type Asked = {
  /** Who sends it. */
  readonly user: string;
  /** That of nodes by default. */
  readonly group?: string;
  readonly parts: RequestParts;
  readonly signerName?: string;
  readonly usages?: readonly string[];
};

const nodeUser = (name: string) => `system:node:${name}`;
const ofNode = (name: string, address: string): RequestParts => ({
  commonName: nodeUser(name),
  dnsNames: [name],
  addresses: [address],
});

/** Completes `is not approved …`. */
const OTHERS: readonly (readonly [what: string, asked: Asked])[] = [
  ['when node b asks in the name of node a', { user: nodeUser('b'), parts: ofNode('a', '10.0.0.1') }],
  [
    'when node b asks for the name and the address of node a',
    { user: nodeUser('b'), parts: { ...ofNode('a', '10.0.0.1'), commonName: nodeUser('b') } },
  ],
  [
    'when node b asks for the address of node a beside its own',
    { user: nodeUser('b'), parts: { ...ofNode('b', '10.0.0.2'), addresses: ['10.0.0.2', '10.0.0.1'] } },
  ],
  [
    'when node b asks for the address of the API server',
    { user: nodeUser('b'), parts: { ...ofNode('b', '10.0.0.2'), addresses: [SERVICE_ADDRESS] } },
  ],
  [
    'when an administrator in the group of nodes asks in the name of node a',
    { user: 'mallory', parts: ofNode('a', '10.0.0.1') },
  ],
  [
    'when an administrator asks in the name of node a',
    { user: 'mallory', group: 'system:masters', parts: ofNode('a', '10.0.0.1') },
  ],
  ['when no such node exists', { user: nodeUser('c'), parts: ofNode('c', '10.0.0.3') }],
  [
    'when it is the certificate of a client',
    {
      user: nodeUser('a'),
      parts: { commonName: nodeUser('a'), dnsNames: [], addresses: [] },
      signerName: CLIENT_SIGNER,
      usages: ['digital signature', 'client auth'],
    },
  ],
];

const cluster = await startKubernetes({ controllers: true });
if ('unavailable' in cluster) {
  describe.skip(`the approver (${cluster.unavailable})`, () =>
    it('has no server to approve on', () => undefined));
} else {
  const stopping = new AbortController();
  let installed: InstalledCluster;
  let controller: Credentials;
  let running: Promise<void> = Promise.resolve();
  let rightsBefore: ReadonlySet<string>;

  const create = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await installed.client.request('POST', path, { body, headers });
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.body}`);
  };
  const send = async (name: string, { user, group = 'system:nodes', ...asked }: Asked) => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = new Uint8Array(publicKey.export({ type: 'spki', format: 'der' }));
    const sign = (info: Uint8Array) => new Uint8Array(signWith('sha256', info, privateKey));
    const { signerName, usages } = asked;
    const { apiVersion, kind, spec } = aSigningRequest(pemOf(aRequest({ ...asked.parts, key, sign })), {
      ...(signerName === undefined ? {} : { signerName }),
      ...(usages === undefined ? {} : { usages }),
    });
    // The server says whom it is of.
    const { username: _, groups: __, ...sent } = spec;
    await create(
      REQUESTS,
      { apiVersion, kind, metadata: { name }, spec: sent },
      {
        'impersonate-user': user,
        'impersonate-group': group,
      },
    );
  };
  const conditionsOf = async (name: string) => {
    const { json } = await installed.client.request('GET', `${REQUESTS}/${name}`);
    return listOf(json.status?.conditions ?? ([] as never)).map(({ type }) => type as unknown);
  };
  const approvalAs = async (name: string, user: Credentials) => {
    const { json } = await installed.client.request('GET', `${REQUESTS}/${name}`);
    const condition = { type: 'Approved', status: 'True', reason: 'Any', message: 'any' };
    const body = { ...json, status: { ...json.status, conditions: [condition] } };
    return installed.client.request('PUT', `${REQUESTS}/${name}/approval`, { body, user });
  };

  beforeAll(async () => {
    installed = await installOn(cluster);
    controller = await installed.tokenOf('machine-config-controller');
    await create('/apis/machineconfiguration.openshift.io/v1/machineconfigpools', aPool('worker'));
    for (const [name, address] of [
      ['a', '10.0.0.1'],
      ['b', '10.0.0.2'],
    ] as const)
      await create('/api/v1/nodes', aNodeAt(name, ['Hostname', name], ['InternalIP', address]));
    await create(`${RBAC}/clusterrolebindings`, {
      ...{
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'mallory' },
      },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'mallory' }],
    });
    await send('before', { user: nodeUser('a'), parts: ofNode('a', '10.0.0.1') });
  });
  afterAll(async () => {
    stopping.abort();
    await running;
    await installed.stop();
  });

  describe('the certificate of a kubelet on a real server', () => {
    it('cannot be approved by the controllers where the approver is not installed', async () => {
      rightsBefore = await rulesOf(installed.client, controller);
      expect((await approvalAs('before', controller)).status).toBe(403);
      expect(await conditionsOf('before')).toEqual([]);
    });

    it('needs a few permissions more, and approval of one signer alone', async () => {
      const [file] = parseManifests(new Map([['certificates', textOfFile('rbac-certificates.yaml')]]));
      for (const object of file?.objects ?? [])
        await create(`${RBAC}/${String(object.kind).toLowerCase()}s`, object);
      const added = [...(await rulesOf(installed.client, controller))].filter(
        (one) => !rightsBefore.has(one),
      );
      const group = 'certificates.k8s.io';
      expect(added.filter((one) => one.startsWith('default: ')).sort()).toEqual([
        `default: approve signers.${group} (kubernetes.io/kubelet-serving)`,
        ...['get', 'list'].map((verb) => `default: ${verb} certificatesigningrequests.${group}`),
        `default: update certificatesigningrequests/approval.${group}`,
        `default: watch certificatesigningrequests.${group}`,
      ]);
    });

    it('is approved for its own node, after every request that is not', async () => {
      for (const [index, [, asked]] of OTHERS.entries()) await send(`other-${index}`, asked);
      const env = { clock: systemClock, random: systemRandom, log: silentLog, signal: stopping.signal };
      const parts = partsFor(installed.transportAs(controller), env, {});
      running = control(parts, (context) => [createServingCertificateController(context, [SERVICE_ADDRESS])]);
      const isApproved = async () => (await conditionsOf('own')).includes('Approved');
      await send('own', { user: nodeUser('a'), parts: ofNode('a', '10.0.0.1') });
      const end = systemClock.monotonic() + LIMIT_MS;
      while (!(await isApproved()) && systemClock.monotonic() < end) await pause(50);
      expect(await conditionsOf('own')).toEqual(['Approved']);
      expect(await conditionsOf('before')).toEqual(['Approved']);
    });

    it('is then signed, for exactly the addresses that were approved', async () => {
      const signed = async () => {
        const { json } = await installed.client.request('GET', `${REQUESTS}/own`);
        return String(json.status?.certificate ?? '');
      };
      const end = systemClock.monotonic() + LIMIT_MS;
      while ((await signed()) === '' && systemClock.monotonic() < end) await pause(50);
      const certificate = new X509Certificate(atob(await signed()));
      expect(certificate.subject).toBe('O=system:nodes\nCN=system:node:a');
      expect(certificate.subjectAltName).toBe('DNS:a, IP Address:10.0.0.1');
      expect([certificate.ca, certificate.keyUsage]).toEqual([false, [SERVER_AUTHENTICATION]]);
      expect(certificate.verify(new X509Certificate(cluster.caPem).publicKey)).toBe(true);
    });

    it.each(OTHERS.map(([what], index) => [what, index] as const))('is not approved %s', async (_, index) => {
      expect(await conditionsOf(`other-${index}`)).toEqual([]);
    });

    it('of another signer is refused by the server to the controllers themselves', async () => {
      const { status, body } = await approvalAs(`other-${OTHERS.length - 1}`, controller);
      expect(status, body).toBe(403);
      expect(body).toContain('user not permitted to approve requests with signerName');
    });

    it('cannot be approved by the daemons', async () => {
      const daemon = await installed.tokenOf(
        'machine-config-daemon',
        await installed.createPod('daemon-b', 'machine-config-daemon', 'b'),
      );
      expect((await approvalAs('other-0', daemon)).status).toBe(403);
    });
  });
}
