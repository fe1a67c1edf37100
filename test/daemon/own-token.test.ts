/** Over HTTP, with the token of its own pod: what the daemon of a node may write, and what it may not. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { annotations, machineConfigNode } from '../../src/api/index.ts';
import { type Env, silentLog, systemClock, systemRandom } from '../../src/base/env.ts';
import { createKube, type Kube } from '../../src/kubernetes/client/index.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { aNode } from '../rollout/build-world.ts';
import { Connections } from '../rollout/http-connections.ts';
import { type HttpServer, startHttpServer } from '../rollout/http-server.ts';
import { createDaemonPods, tokenOf } from '../rollout/http-tokens.ts';

const stopping = new AbortController();
const env: Env = { clock: systemClock, random: systemRandom, log: silentLog, signal: stopping.signal };
let server: HttpServer;
let connections: Connections;
let own: Kube;
let unbound: Kube;

beforeAll(async () => {
  server = await startHttpServer(env);
  connections = new Connections(server.pki.authority.certPem);
  const transport = connections.open(server.port, { certificate: server.pki.admin });
  const admin = createKube({ transport, env, fieldManager: 'story' });
  for (const name of ['a', 'b']) {
    await admin.create(nodeKind, aNode(name, ['worker']));
    await admin.create(machineConfigNode, {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfigNode',
      metadata: { name },
      spec: { node: { name }, pool: { name: 'worker' }, configVersion: { desired: 'not-yet-set' } },
    });
  }
  const tokens = await createDaemonPods({ kube: admin, transport }, ['a', 'b']);
  const kubeWith = (token: string) =>
    createKube({
      transport: connections.open(server.port, { token }),
      env,
      fieldManager: 'machine-config-daemon',
    });
  own = kubeWith(tokens.get('a') ?? '');
  unbound = kubeWith(await tokenOf(transport, 'machine-config-daemon'));
});
afterAll(async () => {
  stopping.abort();
  connections.close();
  await server.stop();
});

const annotate = (kube: Kube, name: string, changes: { readonly [key: string]: string }) =>
  kube.patch(nodeKind, { name }, { type: 'merge', body: { metadata: { annotations: changes } } });
const report = (kube: Kube, name: string) =>
  kube.patch(
    machineConfigNode,
    { name },
    { type: 'merge', body: { status: { observedGeneration: 1 } } },
    { subresource: 'status' },
  );
const working = { [annotations.state]: 'Working' };

describe('the daemon of node a', () => {
  it('writes its own Node and its own MachineConfigNode', async () => {
    expect((await annotate(own, 'a', working)).metadata.annotations).toMatchObject(working);
    expect((await report(own, 'a')).status?.observedGeneration).toBe(1);
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['the Node of b', () => annotate(own, 'b', working), 'updates to Node b can only be done from that node'],
    [
      'the MachineConfigNode of b',
      () => report(own, 'b'),
      "updates to MCN b can only be done from the MCN's owner node",
    ],
    [
      "what is the controller's on its own Node",
      () => annotate(own, 'a', { [annotations.lastAppliedDrain]: 'drain-x' }),
      "these annotations are not the machine-config-daemon's to change",
    ],
    [
      'the schedulability of its own Node',
      () => own.patch(nodeKind, { name: 'a' }, { type: 'merge', body: { spec: { unschedulable: true } } }),
      'may change annotations of its Node and nothing else',
    ],
    ['a Node away', () => own.delete(nodeKind, { name: 'b' }), 'cannot delete resource "nodes"'],
    [
      'the spec of its own MachineConfigNode',
      () =>
        own.patch(
          machineConfigNode,
          { name: 'a' },
          { type: 'merge', body: { spec: { pool: { name: 'x' } } } },
        ),
      'cannot patch resource "machineconfignodes"',
    ],
  ])('may not write %s', async (_, write, text) => {
    await expect(write()).rejects.toThrow(text);
    await expect(write()).rejects.toMatchObject({ code: expect.toBeOneOf([403, 422]) });
  });

  it('is identified by its token: one without a pod may write nothing', async () => {
    const text = 'this user must have a "authentication.kubernetes.io/node-name" claim';
    await expect(annotate(unbound, 'a', working)).rejects.toThrow(text);
    await expect(report(unbound, 'a')).rejects.toThrow(text);
  });
});
