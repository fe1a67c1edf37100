/**
 * The daemon of a node on a real server: its token is bound to its pod, and its pod to its node, so that whoever takes over one node
 * can harm no other.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Credentials } from '../kubeconfig.ts';
import { startKubernetes } from '../kubernetes.ts';
import {
  type Attempt,
  aboutOthers,
  aMachineConfigNode,
  aNode,
  anEventAbout,
  beyondItsOwn,
  elsewhere,
  itsOwn,
  otherIdentities,
} from './daemon-requests.ts';
import { type InstalledCluster, installOn, NS } from './installed-cluster.ts';

const DAEMON = 'machine-config-daemon';
const KINDS = '/apis/machineconfiguration.openshift.io/v1';
const EVENTS = '/api/v1/namespaces/default/events';
const WATCHED = [
  ...['a', 'b', 'c'].flatMap((name) => [`/api/v1/nodes/${name}`, `${KINDS}/machineconfignodes/${name}`]),
  ...['of-a', 'of-b', 'new-b', 'new-pod', 'applied-b'].map((name) => `${EVENTS}/${name}`),
  `/api/v1/namespaces/${NS}/pods/mine`,
];

const cluster = await startKubernetes();
if ('unavailable' in cluster) {
  describe.skip(`the daemon (${cluster.unavailable})`, () =>
    it('has no server to be refused by', () => undefined));
} else {
  let installed: InstalledCluster;
  let user: Credentials;
  beforeAll(async () => {
    installed = await installOn(cluster);
    const create = async (path: string, body: object) => {
      const answer = await installed.client.request('POST', path, { body });
      if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.body}`);
    };
    for (const name of ['a', 'b']) {
      await create('/api/v1/nodes', aNode(name));
      await create(`${KINDS}/machineconfignodes`, aMachineConfigNode(name));
      await create(EVENTS, anEventAbout('Node', name, `of-${name}`));
    }
    user = await installed.tokenOf(DAEMON, await installed.createPod('daemon-a', DAEMON, 'a'));
  });
  afterAll(() => installed.stop());

  const attempt = ({ method, path, body, contentType }: Attempt, as: Credentials) =>
    installed.client.request(method, path, {
      user: as,
      ...(body === undefined ? {} : { body }),
      ...(contentType === undefined ? {} : { contentType }),
    });
  const stateOf = async () =>
    Promise.all(WATCHED.map(async (path) => (await installed.client.request('GET', path)).body));
  const refusals = async (attempts: readonly Attempt[], as: Credentials) => {
    const before = await stateOf();
    for (const one of attempts) {
      const { status, body } = await attempt(one, as);
      const text = `${one.what}: ${status} ${body}`;
      expect(one.status === undefined ? [403, 422] : [one.status], text).toContain(status);
      // By RBAC or by a policy, and not because the request makes no sense.
      if (one.status === undefined) expect(text).toMatch(/forbidden: (User|ValidatingAdmissionPolicy)/);
    }
    expect(await stateOf()).toEqual(before);
  };

  describe('the daemon of node A on a real server', () => {
    it.each(itsOwn.map((one) => [one.what, one] as const))('may write %s', async (_, one) => {
      const { status, body } = await attempt(one, user);
      expect([200, 201], body).toContain(status);
    });

    it.each([
      ['on node B in every way of writing', elsewhere],
      ['on its own node beyond its own annotations and status', beyondItsOwn],
      ['in events about anything but its node', aboutOthers],
      ['on every way to another identity', otherIdentities],
    ])('is refused %s', async (_, attempts) => {
      await refusals(attempts, user);
    });

    it('is refused to act as someone else', async () => {
      for (const headers of [
        { 'impersonate-user': 'system:admin' },
        { 'impersonate-user': `system:serviceaccount:${NS}:machine-config-controller` },
        { 'impersonate-user': 'x', 'impersonate-extra-authentication.kubernetes.io%2fnode-name': 'b' },
        { 'impersonate-user': 'system:node:b', 'impersonate-group': 'system:nodes' },
      ]) {
        const { status, body } = await installed.client.request('GET', '/api/v1/nodes', { user, headers });
        expect(status, body).toBe(403);
      }
    });
  });

  describe('a token of the daemons without the name of a node', () => {
    it.each([
      ['bound to nothing, as kubectl create token makes it', () => installed.tokenOf(DAEMON)],
      [
        'bound to a pod that is on no node',
        async () => installed.tokenOf(DAEMON, await installed.createPod('daemon-nowhere', DAEMON)),
      ],
    ])('is refused all writes when it is %s', async (_, token) => {
      const as = await token();
      await refusals([...itsOwn, ...elsewhere, ...beyondItsOwn, ...aboutOthers], as);
    });

    it('says which claim is missing', async () => {
      const as = await installed.tokenOf(DAEMON);
      for (const one of itsOwn) {
        const { body } = await attempt(one, as);
        expect(body).toContain('must have a \\"authentication.kubernetes.io/node-name\\" claim');
      }
    });
  });

  it('the token of a daemon ends with its pod', async () => {
    const as = await installed.tokenOf(DAEMON, await installed.createPod('daemon-gone', DAEMON, 'a'));
    const path = `/api/v1/namespaces/${NS}/pods/daemon-gone?gracePeriodSeconds=0`;
    await installed.client.request('DELETE', path);
    expect((await installed.client.request('GET', '/api/v1/nodes', { user: as })).status).toBe(401);
  });
}
