/**
 * The approver of client certificates on a real server, with the token of the controllers: a machine with the token that the machine config
 * server would give it becomes a new node, and none that exists.
 */
import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog, systemClock, systemRandom } from '../../../src/base/env.ts';
import { createClientCertificateController } from '../../../src/controllers/certificates/client-certificates.ts';
import { listOf } from '../../contract/loose.ts';
import { control } from '../../rollout/control.ts';
import { partsFor } from '../../rollout/world-process.ts';
import { aNodeAt, type RequestParts } from '../../support/a-certificate-request.ts';
import { aPool } from '../../support/build.ts';
import type { Credentials } from '../kubeconfig.ts';
import { startKubernetes } from '../kubernetes.ts';
import { type InstalledCluster, installOn, NS } from './installed-cluster.ts';
import { rulesOf } from './rights.ts';
import { type Asked, asNode, eventually, nodeUser, RBAC, SigningRequests } from './signing-requests.ts';

const SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
const ACCOUNT = `system:serviceaccount:${NS}:node-bootstrapper`;
/** The only extended usage. */
const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2';
/** The server accepts it; nobody should paste it. */
const NAME_WITH_COMMAND = 'x; $(reboot)';

/** As a kubelet asks for its client certificate. */
const client = (sender: Asked['sender'], node: string, more: RequestParts = {}): Asked => ({
  sender,
  parts: { commonName: nodeUser(node), dnsNames: [], addresses: [], ...more },
  signerName: SIGNER,
  usages: ['digital signature', 'client auth'],
});

/** Completes `is not approved …`, and why. `token`: that of machines that join. */
const OTHERS: readonly (readonly [what: string, why: string, asked: (token: Credentials) => Asked])[] = [
  [
    'with the token of machines that join for a node that exists',
    'Node "a" exists already',
    (token) => client(token, 'a'),
  ],
  [
    'with the token of machines that join for the group of administrators',
    'its organization is "system:masters", not system:nodes',
    (token) => client(token, 'x', { organizations: ['system:masters'] }),
  ],
  [
    'with the token of machines that join for a host',
    'it is for hosts',
    (token) => client(token, 'x', { dnsNames: ['x'] }),
  ],
  [
    'with the token of machines that join as a server',
    'its usages are',
    (token) => ({ ...client(token, 'x'), usages: ['digital signature', 'server auth'] }),
  ],
  [
    'with the token of machines that join for a name that no Node can have',
    '"Not_A_Node" is no name for a Node',
    (token) => client(token, 'Not_A_Node'),
  ],
  [
    'for an account of the same name in another namespace',
    'it was sent by "system:serviceaccount:default:node-bootstrapper"',
    () => client({ user: 'system:serviceaccount:default:node-bootstrapper', group: 'joiners' }, 'x'),
  ],
  [
    'for the account of machines that join in another group',
    `it was sent by "${ACCOUNT}"`,
    () => client({ user: ACCOUNT, group: 'joiners' }, 'x'),
  ],
  [
    'for users with a bootstrap token of Kubernetes',
    'it was sent by "system:bootstrap:abcdef"',
    () => client({ user: 'system:bootstrap:abcdef', group: 'joiners' }, 'x'),
  ],
  [
    'for a node in the name of another node',
    'it is for "system:node:a", and was sent by "system:node:b"',
    () => client(asNode('b'), 'a'),
  ],
  ['for a node that is gone', 'there is no Node "gone"', () => client(asNode('gone'), 'gone')],
];

const cluster = await startKubernetes({ controllers: true });
if ('unavailable' in cluster) {
  describe.skip(`the approver of client certificates (${cluster.unavailable})`, () =>
    it('has no server to approve on', () => undefined));
} else {
  const stopping = new AbortController();
  let installed: InstalledCluster;
  let requests: SigningRequests;
  let controller: Credentials;
  let token: Credentials;
  let running: Promise<void> = Promise.resolve();
  let rightsBefore: ReadonlySet<string>;
  let keyOfC = '';
  let nodeC: Credentials = { anonymous: true };

  /** Of the events about a request, which are in `default`. */
  const messagesAbout = async (name: string) => {
    const { json } = await installed.client.request('GET', '/api/v1/namespaces/default/events');
    return listOf(json.items)
      .filter(({ involvedObject }) => (involvedObject?.name as unknown) === name)
      .map(({ message }) => String(message));
  };

  beforeAll(async () => {
    installed = await installOn(cluster);
    requests = new SigningRequests(installed.client);
    controller = await installed.tokenOf('machine-config-controller');
    const secret = async () =>
      (await installed.client.request('GET', `/api/v1/namespaces/${NS}/secrets/node-bootstrapper-token`))
        .json;
    await eventually('the account of machines that join has a token', async () => {
      return (await secret()).data?.token !== undefined;
    });
    token = { token: atob(String((await secret()).data?.token)) };
    await requests.create('/apis/machineconfiguration.openshift.io/v1/machineconfigpools', aPool('worker'));
    for (const name of ['a', 'b']) await requests.create('/api/v1/nodes', aNodeAt(name));
    await requests.create(`${RBAC}/clusterrolebindings`, {
      ...{
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'joiners' },
      },
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'ClusterRole',
        name: 'system:node-bootstrapper',
      },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'joiners' }],
    });
    await requests.send('before', client(token, 'early'));
  });
  afterAll(async () => {
    stopping.abort();
    await running;
    await installed.stop();
  });

  describe('the client certificate of a kubelet on a real server', () => {
    it('is asked for with the token that the cluster puts into the Secret', async () => {
      const { spec } = await requests.read('before');
      expect(spec?.username).toBe(ACCOUNT);
      expect(listOf(spec?.groups).map(String).sort()).toEqual([
        'system:authenticated',
        'system:serviceaccounts',
        `system:serviceaccounts:${NS}`,
      ]);
    });

    it('cannot be approved by the controllers where the approver is not installed', async () => {
      rightsBefore = await rulesOf(installed.client, controller);
      expect((await requests.approvalAs('before', controller)).status).toBe(403);
      expect(await requests.conditionsOf('before')).toEqual([]);
    });

    it('needs a few permissions more, and approval of one signer alone', async () => {
      await requests.install('rbac-client-certificates.yaml');
      const added = [...(await rulesOf(installed.client, controller))].filter(
        (one) => !rightsBefore.has(one),
      );
      const group = 'certificates.k8s.io';
      expect(added.filter((one) => one.startsWith('default: ')).sort()).toEqual([
        `default: approve signers.${group} (${SIGNER})`,
        ...['get', 'list'].map((verb) => `default: ${verb} certificatesigningrequests.${group}`),
        `default: update certificatesigningrequests/approval.${group}`,
        `default: watch certificatesigningrequests.${group}`,
      ]);
    });

    it('is approved for a new node, after every request that is not', async () => {
      for (const [index, [, , asked]] of OTHERS.entries())
        await requests.send(`other-${index}`, asked(token));
      await requests.send(NAME_WITH_COMMAND, client(token, 'x', { organizations: [] }));
      // Ahead of the server: what may change is reported at once.
      const clock = { ...systemClock, now: () => systemClock.now() + 2 * 60_000 };
      const env = { clock, random: systemRandom, log: silentLog, signal: stopping.signal };
      const parts = partsFor(installed.transportAs(controller), env, {});
      running = control(parts, (context) => [createClientCertificateController(context)]);
      keyOfC = await requests.send('of-c', client(token, 'c'));
      await requests.untilApproved('of-c');
      expect(await requests.conditionsOf('before')).toEqual(['Approved']);
    });

    it('is not approved for the same new node and another key', async () => {
      await requests.send('of-c-too', client(token, 'c'));
      // Behind it in the queue.
      await requests.send('of-d', client(token, 'd'));
      await requests.untilApproved('of-d');
      expect(await requests.conditionsOf('of-c-too')).toEqual([]);
    });

    it('is then signed, and makes its kubelet the node that it is for', async () => {
      const certificate = await requests.certificateOf('of-c');
      expect(certificate.subject).toBe('O=system:nodes\nCN=system:node:c');
      expect(certificate.subjectAltName).toBeUndefined();
      expect([certificate.ca, certificate.keyUsage]).toEqual([false, [CLIENT_AUTHENTICATION]]);
      expect(certificate.verify(new X509Certificate(cluster.caPem).publicKey)).toBe(true);
      nodeC = { cert: certificate.toString(), key: keyOfC };
      await requests.create('/api/v1/nodes', aNodeAt('c'), { user: nodeC });
    });

    it('is renewed for a node in a pool', async () => {
      await requests.send('renewal', client(nodeC, 'c'));
      await requests.untilApproved('renewal');
      expect((await requests.certificateOf('renewal')).subject).toBe('O=system:nodes\nCN=system:node:c');
    });

    it('is not approved for that node and another key once the first request is gone, since its Node exists', async () => {
      await requests.delete('of-c');
      await requests.send('of-e', client(token, 'e'));
      await requests.untilApproved('of-e');
      expect(await requests.conditionsOf('of-c-too')).toEqual([]);
    });

    it.each(OTHERS.map(([what, why], index) => [what, why, index] as const))(
      'is not approved %s',
      async (_, why, index) => {
        const name = `other-${index}`;
        await eventually(
          `there is an event about ${name}`,
          async () => (await messagesAbout(name)).length > 0,
        );
        const [message] = await messagesAbout(name);
        expect(message).toMatch(/^The client certificate is not approved: /);
        expect(message).toContain(why);
        expect(await requests.conditionsOf(name)).toEqual([]);
      },
    );

    it('has no command in its event that comes from the name of a request', async () => {
      expect(await messagesAbout(NAME_WITH_COMMAND)).toEqual([
        expect.stringMatching(/kubectl certificate approve NAME$/),
      ]);
    });

    it('cannot be approved by machines that join, nor by their nodes', async () => {
      for (const user of [token, nodeC]) {
        const { status, body } = await requests.approvalAs('other-0', user);
        expect(status, body).toBe(403);
      }
    });

    it('of another signer is refused by the server to the controllers themselves', async () => {
      const signerName = 'kubernetes.io/kubelet-serving';
      const usages = ['digital signature', 'server auth'];
      await requests.send('serving', {
        ...client(asNode('c'), 'c', { dnsNames: ['c'] }),
        signerName,
        usages,
      });
      const { status, body } = await requests.approvalAs('serving', controller);
      expect(status, body).toBe(403);
      expect(body).toContain('user not permitted to approve requests with signerName');
    });
  });
}
