/**
 * The approver of serving certificates on a real server, with the token of the controllers: it approves the certificate of a kubelet
 * for its own node, and none for another. Requests are sent by the users that the server says they are of.
 */
import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog, systemClock, systemRandom } from '../../../src/base/env.ts';
import { createServingCertificateController } from '../../../src/controllers/certificates/serving-certificates.ts';
import { control } from '../../rollout/control.ts';
import { partsFor } from '../../rollout/world-process.ts';
import { aNodeAt, type RequestParts } from '../../support/a-certificate-request.ts';
import { aPool } from '../../support/build.ts';
import type { Credentials } from '../kubeconfig.ts';
import { startKubernetes } from '../kubernetes.ts';
import { type InstalledCluster, installOn } from './installed-cluster.ts';
import { rulesOf } from './rights.ts';
import { type Asked, asNode, nodeUser, RBAC, SigningRequests } from './signing-requests.ts';

const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
const SERVICE_ADDRESS = '10.96.0.1';
/** The only extended usage. */
const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1';

/** As a kubelet asks for its serving certificate. */
const serving = (sender: Asked['sender'], parts: RequestParts): Asked => ({
  ...{ sender, parts },
  signerName: 'kubernetes.io/kubelet-serving',
  usages: ['digital signature', 'server auth'],
});
const ofNode = (name: string, address: string): RequestParts => ({
  commonName: nodeUser(name),
  dnsNames: [name],
  addresses: [address],
});

/** Completes `is not approved …`. */
const OTHERS: readonly (readonly [what: string, asked: Asked])[] = [
  ['when node b asks in the name of node a', serving(asNode('b'), ofNode('a', '10.0.0.1'))],
  [
    'when node b asks for the name and the address of node a',
    serving(asNode('b'), { ...ofNode('a', '10.0.0.1'), commonName: nodeUser('b') }),
  ],
  [
    'when node b asks for the address of node a beside its own',
    serving(asNode('b'), { ...ofNode('b', '10.0.0.2'), addresses: ['10.0.0.2', '10.0.0.1'] }),
  ],
  [
    'when node b asks for the address of the API server',
    serving(asNode('b'), { ...ofNode('b', '10.0.0.2'), addresses: [SERVICE_ADDRESS] }),
  ],
  [
    'when an administrator in the group of nodes asks in the name of node a',
    serving({ user: 'mallory', group: 'system:nodes' }, ofNode('a', '10.0.0.1')),
  ],
  [
    'when an administrator asks in the name of node a',
    serving({ user: 'mallory', group: 'system:masters' }, ofNode('a', '10.0.0.1')),
  ],
  ['when no such node exists', serving(asNode('c'), ofNode('c', '10.0.0.3'))],
  [
    'when it is the certificate of a client',
    {
      sender: asNode('a'),
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
  let requests: SigningRequests;
  let controller: Credentials;
  let running: Promise<void> = Promise.resolve();
  let rightsBefore: ReadonlySet<string>;

  beforeAll(async () => {
    installed = await installOn(cluster);
    requests = new SigningRequests(installed.client);
    controller = await installed.tokenOf('machine-config-controller');
    await requests.create('/apis/machineconfiguration.openshift.io/v1/machineconfigpools', aPool('worker'));
    for (const [name, address] of [
      ['a', '10.0.0.1'],
      ['b', '10.0.0.2'],
    ] as const)
      await requests.create('/api/v1/nodes', aNodeAt(name, ['Hostname', name], ['InternalIP', address]));
    await requests.create(`${RBAC}/clusterrolebindings`, {
      ...{
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'mallory' },
      },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'mallory' }],
    });
    await requests.send('before', serving(asNode('a'), ofNode('a', '10.0.0.1')));
  });
  afterAll(async () => {
    stopping.abort();
    await running;
    await installed.stop();
  });

  describe('the certificate of a kubelet on a real server', () => {
    it('cannot be approved by the controllers where the approver is not installed', async () => {
      rightsBefore = await rulesOf(installed.client, controller);
      expect((await requests.approvalAs('before', controller)).status).toBe(403);
      expect(await requests.conditionsOf('before')).toEqual([]);
    });

    it('needs a few permissions more, and approval of one signer alone', async () => {
      await requests.install('rbac-certificates.yaml');
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
      for (const [index, [, asked]] of OTHERS.entries()) await requests.send(`other-${index}`, asked);
      const env = { clock: systemClock, random: systemRandom, log: silentLog, signal: stopping.signal };
      const parts = partsFor(installed.transportAs(controller), env, {});
      running = control(parts, (context) => [createServingCertificateController(context, [SERVICE_ADDRESS])]);
      await requests.send('own', serving(asNode('a'), ofNode('a', '10.0.0.1')));
      await requests.untilApproved('own');
      expect(await requests.conditionsOf('own')).toEqual(['Approved']);
      expect(await requests.conditionsOf('before')).toEqual(['Approved']);
    });

    it('is then signed, for exactly the addresses that were approved', async () => {
      const certificate = await requests.certificateOf('own');
      expect(certificate.subject).toBe('O=system:nodes\nCN=system:node:a');
      expect(certificate.subjectAltName).toBe('DNS:a, IP Address:10.0.0.1');
      expect([certificate.ca, certificate.keyUsage]).toEqual([false, [SERVER_AUTHENTICATION]]);
      expect(certificate.verify(new X509Certificate(cluster.caPem).publicKey)).toBe(true);
    });

    it.each(OTHERS.map(([what], index) => [what, index] as const))('is not approved %s', async (_, index) => {
      expect(await requests.conditionsOf(`other-${index}`)).toEqual([]);
    });

    it('of another signer is refused by the server to the controllers themselves', async () => {
      const { status, body } = await requests.approvalAs(`other-${OTHERS.length - 1}`, controller);
      expect(status, body).toBe(403);
      expect(body).toContain('user not permitted to approve requests with signerName');
    });

    it('cannot be approved by the daemons', async () => {
      const daemon = await installed.tokenOf(
        'machine-config-daemon',
        await installed.createPod('daemon-b', 'machine-config-daemon', 'b'),
      );
      expect((await requests.approvalAs('other-0', daemon)).status).toBe(403);
    });
  });
}
