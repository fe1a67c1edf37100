/** The approver on the embedded server, in virtual time: what wakes it, what it approves, what it reports. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { World } from '../../../test/rollout/build-world.ts';
import { control } from '../../../test/rollout/control.ts';
import { eventsAbout, MINUTE } from '../../../test/rollout/story-steps.ts';
import { startWorld } from '../../../test/rollout/world.ts';
import {
  aJoiningRequest,
  aNodeAt,
  ellipticKey,
  type RequestParts,
} from '../../../test/support/a-certificate-request.ts';
import { approvalAsStatus, signingRequestDefinition } from '../../../test/support/signing-requests.ts';
import { MAX_WITHOUT_NODE } from '../../certificates/index.ts';
import type { Transport, TransportRequest } from '../../kubernetes/client/index.ts';
import {
  type CertificateSigningRequest,
  customResourceDefinition,
  node as nodeKind,
  certificateSigningRequest as requestKind,
} from '../../kubernetes/types/index.ts';
import { createClientCertificateController } from './client-certificates.ts';

type Spec = CertificateSigningRequest['spec'];
/** What happens before or after a request, and may throw. */
type Intervention = (request: TransportRequest, forward: Transport['send']) => ReturnType<Transport['send']>;

const isApproval = ({ method, path }: TransportRequest) => method === 'PUT' && path.includes('/approval');
const otherKey = ellipticKey(undefined, new Uint8Array(65).fill(7).fill(4, 0, 1));
const ofNode = (name: string): Partial<Spec> => ({
  username: `system:node:${name}`,
  groups: ['system:nodes', 'system:authenticated'],
});

describe('the approver of client certificates', () => {
  let world: World;
  let written: TransportRequest[];
  beforeEach(async () => {
    world = await startWorld({ masters: 0, workers: 2 });
    written = [];
    await world.kube.create(customResourceDefinition, signingRequestDefinition);
    await world.startControllers();
    await world.env.clock.advance(MINUTE);
  });
  afterEach(() => world.stop());

  const startApprover = (intervene: Intervention = (request, forward) => forward(request)) =>
    world.startOther(
      (parts) => control(parts, (context) => [createClientCertificateController(context)]),
      (transport) => {
        const { send: forward } = approvalAsStatus(transport);
        return {
          send(request) {
            if (request.method !== 'GET' && request.path.includes('signingrequests')) written.push(request);
            return intervene(request, forward);
          },
        };
      },
    );
  /** For a machine that joins as `node`. */
  const send = async (
    name: string,
    { node = 'worker-9', spec = {}, ...parts }: RequestParts & { node?: string; spec?: Partial<Spec> } = {},
  ) => {
    const csr = aJoiningRequest({ commonName: `system:node:${node}`, ...parts }, spec);
    await world.kube.create(requestKind, { ...csr, metadata: { name } });
  };
  const pass = (ms: number) => world.env.clock.advance(ms);
  const conditionsOf = async (name: string) =>
    ((await world.kube.get(requestKind, { name }))?.status?.conditions ?? []).map(
      ({ type, status, reason }) => [type, status, reason],
    );
  const eventsOf = (name: string) => eventsAbout(world, requestKind.kind, name);
  const messageOf = async (name: string) => (await eventsOf(name))[0]?.message;
  const expectOneApproved = async (...names: readonly string[]) => {
    const all = await Promise.all(names.map(conditionsOf));
    expect(all.filter((conditions) => conditions.length > 0)).toEqual([APPROVED]);
  };
  const APPROVED = [['Approved', 'True', 'FirstKubeletClientCertificate']];
  const RENEWED = [['Approved', 'True', 'KubeletClientCertificateRenewal']];

  it('approves the first certificate of a new node, once and without an event', async () => {
    startApprover();
    await send('good');
    await pass(1_000);
    expect(await conditionsOf('good')).toEqual(APPROVED);
    await pass(10 * MINUTE);
    expect(written).toHaveLength(1);
    expect(await eventsOf('good')).toEqual([]);
  });

  it('approves requests that were there before it', async () => {
    await send('early');
    startApprover();
    await pass(1_000);
    expect(await conditionsOf('early')).toEqual(APPROVED);
  });

  it('approves the renewal of a node in a pool, and none of a node that is gone', async () => {
    startApprover();
    await send('renewal', { node: 'worker-0', spec: ofNode('worker-0') });
    await send('gone', { node: 'worker-9', spec: ofNode('worker-9') });
    await pass(2 * MINUTE);
    expect(await conditionsOf('renewal')).toEqual(RENEWED);
    expect(await conditionsOf('gone')).toEqual([]);
    expect(await messageOf('gone')).toContain('there is no Node "worker-9"');
  });

  it('does not approve a new certificate of a Node that exists, says so once, and approves it when the Node is deleted', async () => {
    startApprover();
    await send('again', { node: 'worker-1' });
    await pass(10 * MINUTE);
    expect(await conditionsOf('again')).toEqual([]);
    expect(await eventsOf('again')).toEqual([
      {
        type: 'Warning',
        reason: 'ClientCertificateNotApproved',
        message:
          'The client certificate is not approved: Node "worker-1" exists already; a machine that was installed anew joins once it is deleted (kubectl delete node worker-1). Should it be right all the same: kubectl certificate approve again',
        count: 1,
      },
    ]);
    await world.kube.delete(nodeKind, { name: 'worker-1' });
    await pass(1_000);
    expect(await conditionsOf('again')).toEqual(APPROVED);
  });

  it('does not approve a new certificate of a Node that its cache does not show yet', async () => {
    startApprover(heldWatch('/nodes').intervene);
    await pass(1_000);
    await world.kube.create(nodeKind, aNodeAt('worker-9'));
    await send('late');
    await pass(2 * MINUTE);
    expect(await conditionsOf('late')).toEqual([]);
    expect(await messageOf('late')).toContain('Node "worker-9" exists already');
  });

  it('lets one key have the name of a new node, and another only once the first request is deleted', async () => {
    startApprover();
    await send('first');
    await pass(1_000);
    await send('second', { key: otherKey });
    await pass(2 * MINUTE);
    expect([await conditionsOf('first'), await conditionsOf('second')]).toEqual([APPROVED, []]);
    expect(await messageOf('second')).toContain('request "first" for the same node was approved');
    await world.kube.delete(requestKind, { name: 'first' });
    await pass(1_000);
    expect(await conditionsOf('second')).toEqual(APPROVED);
  });

  it('lets another key have the name of a node that has not registered within an hour', async () => {
    startApprover();
    await send('first');
    await pass(1_000);
    await send('second', { key: otherKey });
    await pass(58 * MINUTE);
    expect(await conditionsOf('second')).toEqual([]);
    await pass(3 * MINUTE);
    expect(await conditionsOf('second')).toEqual(APPROVED);
  });

  it('lets one key have the name of a new node although its cache does not show its own approvals', async () => {
    await send('first');
    await send('second', { key: otherKey });
    const { intervene, show } = heldWatch('signingrequests');
    startApprover(intervene);
    await pass(2 * MINUTE);
    expect(written).toHaveLength(1);
    show();
    await pass(2 * MINUTE);
    await expectOneApproved('first', 'second');
  });

  it('lets one key have the name of a new node although the answer to its approval was lost', async () => {
    await send('first');
    await send('second', { key: otherKey });
    const { intervene, show } = heldWatch('signingrequests');
    let isLost = false;
    startApprover(async (request, forward) => {
      const response = await intervene(request, forward);
      if (isLost || !isApproval(request)) return response;
      isLost = true;
      throw new Error('connection lost');
    });
    await pass(2 * MINUTE);
    expect(isLost).toBe(true);
    // Another Node: what is left is decided again.
    await world.kube.create(nodeKind, aNodeAt('worker-8'));
    await pass(2 * MINUTE);
    await expectOneApproved('first', 'second');
    show();
    await pass(2 * MINUTE);
    await expectOneApproved('first', 'second');
  });

  it('approves a kubelet that asks again with the key that it has', async () => {
    startApprover();
    await send('first');
    await send('second');
    await pass(1_000);
    expect([await conditionsOf('first'), await conditionsOf('second')]).toEqual([APPROVED, APPROVED]);
  });

  it('approves no more new nodes than it waits for, and the next one when one has registered', async () => {
    startApprover();
    for (let index = 0; index < MAX_WITHOUT_NODE; index++)
      await send(`csr-${index}`, { node: `new-${index}` });
    await pass(MINUTE);
    expect(written).toHaveLength(MAX_WITHOUT_NODE);
    await send('next');
    await pass(2 * MINUTE);
    expect(await conditionsOf('next')).toEqual([]);
    expect(await messageOf('next')).toContain('100 nodes whose certificates were approved');
    await world.kube.create(nodeKind, aNodeAt('new-7'));
    await pass(1_000);
    expect(await conditionsOf('next')).toEqual(APPROVED);
  });

  it('leaves requests of other users to other approvers, and reports them when none has decided for a minute', async () => {
    startApprover();
    const spec = { username: 'system:bootstrap:abcdef', groups: ['system:bootstrappers'] };
    await send('others', { spec });
    await send('nobodys', { spec, node: 'worker-8' });
    await pass(30_000);
    const status = { conditions: [{ type: 'Approved', status: 'True', reason: 'AutoApproved' }] };
    const patch = { type: 'merge', body: { status } } as const;
    await world.kube.patch(requestKind, { name: 'others' }, patch, { subresource: 'status' });
    await pass(10 * MINUTE);
    expect(written).toEqual([]);
    expect(await eventsOf('others')).toEqual([]);
    expect(await eventsOf('nobodys')).toMatchObject([{ reason: 'ClientCertificateNotApproved', count: 1 }]);
    expect(await messageOf('nobodys')).toContain(
      'it was sent by "system:bootstrap:abcdef", which is neither',
    );
  });

  it('neither approves nor denies what is forged, and reports it at once', async () => {
    startApprover();
    await send('forged', { organizations: ['system:masters'] });
    await send('stolen', { node: 'worker-0', spec: ofNode('worker-1') });
    await pass(1_000);
    for (const name of ['forged', 'stolen']) {
      expect(await eventsOf(name)).toMatchObject([{ reason: 'ClientCertificateNotApproved', count: 1 }]);
    }
    await pass(10 * MINUTE);
    expect([await conditionsOf('forged'), await conditionsOf('stolen')]).toEqual([[], []]);
    expect(written).toEqual([]);
  });

  it('leaves serving certificates alone', async () => {
    startApprover();
    await send('serving', { spec: { signerName: 'kubernetes.io/kubelet-serving' } });
    await pass(10 * MINUTE);
    expect(written).toEqual([]);
    expect(await eventsOf('serving')).toEqual([]);
  });
});

/** The watch of a resource shows nothing for now: the cache lags behind. */
function heldWatch(resource: string): { readonly intervene: Intervention; readonly show: () => void } {
  let show = () => {};
  const shown = new Promise<void>((resolve) => {
    show = resolve;
  });
  const intervene: Intervention = async (request, forward) => {
    const response = await forward(request);
    const isWatch = request.path.endsWith(resource) && request.query.includes('watch=');
    return isWatch ? { ...response, body: heldUntil(shown, response.body) } : response;
  };
  return { intervene, show: () => show() };
}

async function* heldUntil<T>(shown: Promise<void>, body: AsyncIterable<T>): AsyncGenerator<T> {
  await shown;
  yield* body;
}
