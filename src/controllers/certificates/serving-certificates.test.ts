/** The approver on the embedded server, in virtual time: what wakes it, what it approves, what it reports. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { World } from '../../../test/rollout/build-world.ts';
import { control } from '../../../test/rollout/control.ts';
import { eventsAbout, MINUTE } from '../../../test/rollout/story-steps.ts';
import { startWorld } from '../../../test/rollout/world.ts';
import { aSigningRequest, type RequestParts } from '../../../test/support/a-certificate-request.ts';
import { approvalAsStatus, signingRequestDefinition } from '../../../test/support/signing-requests.ts';
import type { TransportRequest } from '../../kubernetes/client/index.ts';
import {
  type CertificateSigningRequest,
  customResourceDefinition,
  node as nodeKind,
  certificateSigningRequest as requestKind,
} from '../../kubernetes/types/index.ts';
import { createServingCertificateController } from './serving-certificates.ts';

describe('the approver of serving certificates', () => {
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

  const startApprover = () =>
    world.startOther(
      (parts) => control(parts, (context) => [createServingCertificateController(context, ['10.96.0.1'])]),
      (transport) => {
        const { send } = approvalAsStatus(transport);
        return {
          send(request) {
            if (request.method !== 'GET' && request.path.includes('signingrequests')) written.push(request);
            return send(request);
          },
        };
      },
    );
  const giveAddresses = async (name: string, addresses: readonly (readonly [string, string])[]) => {
    const status = { addresses: addresses.map(([type, address]) => ({ type, address })) };
    await world.kube.patch(
      nodeKind,
      { name },
      { type: 'merge', body: { status } },
      { subresource: 'status' },
    );
    await world.env.clock.advance(1_000);
  };
  const OWN = [
    ['Hostname', 'worker-0'],
    ['InternalIP', '10.0.0.5'],
  ] as const;
  const send = async (
    name: string,
    parts: RequestParts = {},
    spec: Partial<CertificateSigningRequest['spec']> = {},
  ) => {
    await world.kube.create(requestKind, { ...aSigningRequest(parts, spec), metadata: { name } });
    await world.env.clock.advance(1_000);
  };
  const conditionsOf = async (name: string) =>
    ((await world.kube.get(requestKind, { name }))?.status?.conditions ?? []).map(
      ({ type, status, reason }) => [type, status, reason],
    );
  const eventsOf = (name: string) => eventsAbout(world, requestKind.kind, name);
  const APPROVED = [['Approved', 'True', 'KubeletServingCertificate']];

  it('approves the request of a kubelet for the addresses of its Node, once and without an event', async () => {
    startApprover();
    await giveAddresses('worker-0', OWN);
    await send('good');
    expect(await conditionsOf('good')).toEqual(APPROVED);
    await world.env.clock.advance(10 * MINUTE);
    expect(written).toHaveLength(1);
    expect(await eventsOf('good')).toEqual([]);
  });

  it('approves requests that were there before it', async () => {
    await giveAddresses('worker-0', OWN);
    await send('early');
    startApprover();
    await world.env.clock.advance(1_000);
    expect(await conditionsOf('early')).toEqual(APPROVED);
  });

  it('approves a request as soon as the Node has its addresses, and reports nothing if that is soon', async () => {
    startApprover();
    await send('ahead');
    await world.env.clock.advance(30_000);
    expect(await conditionsOf('ahead')).toEqual([]);
    await giveAddresses('worker-0', OWN);
    expect(await conditionsOf('ahead')).toEqual(APPROVED);
    expect(await eventsOf('ahead')).toEqual([]);
  });

  it('reports a request for an address that the Node does not have, once, and approves it when the Node has it', async () => {
    startApprover();
    await send('late');
    await world.env.clock.advance(10 * MINUTE);
    const message =
      'The serving certificate is not approved: "worker-0" is not among the addresses of the Node. Should it be right all the same: kubectl certificate approve late';
    expect(await eventsOf('late')).toEqual([
      { type: 'Warning', reason: 'ServingCertificateNotApproved', message, count: 1 },
    ]);
    await giveAddresses('worker-0', OWN);
    expect(await conditionsOf('late')).toEqual(APPROVED);
  });

  it('neither approves nor denies a request for another node, and reports it at once', async () => {
    startApprover();
    await giveAddresses('worker-0', OWN);
    await send('forged', { commonName: 'system:node:worker-1' });
    await send('stolen', {}, { username: 'system:node:worker-1' });
    await world.env.clock.advance(10 * MINUTE);
    expect([await conditionsOf('forged'), await conditionsOf('stolen')]).toEqual([[], []]);
    expect(written).toEqual([]);
    for (const name of ['forged', 'stolen']) {
      expect(await eventsOf(name)).toMatchObject([{ reason: 'ServingCertificateNotApproved', count: 1 }]);
    }
  });

  it('does not approve an address that two Nodes have until one of them has lost it', async () => {
    startApprover();
    await giveAddresses('worker-0', OWN);
    await giveAddresses('worker-1', [['InternalIP', '10.0.0.5']]);
    await send('shared');
    await world.env.clock.advance(2 * MINUTE);
    const [event] = await eventsOf('shared');
    expect(event?.message).toContain('"10.0.0.5" is also an address of Node "worker-1"');
    await giveAddresses('worker-1', [['InternalIP', '10.0.0.6']]);
    expect(await conditionsOf('shared')).toEqual(APPROVED);
  });

  it('leaves requests of other signers and decided ones alone', async () => {
    await giveAddresses('worker-0', OWN);
    await send('client', {}, { signerName: 'kubernetes.io/kube-apiserver-client-kubelet' });
    await send('denied');
    const status = { conditions: [{ type: 'Denied', status: 'True', reason: 'No' }] };
    const patch = { type: 'merge', body: { status } } as const;
    await world.kube.patch(requestKind, { name: 'denied' }, patch, { subresource: 'status' });
    startApprover();
    await world.env.clock.advance(10 * MINUTE);
    expect(written).toEqual([]);
    expect([await eventsOf('client'), await eventsOf('denied')]).toEqual([[], []]);
  });

  it('decides again after a conflict', async () => {
    await giveAddresses('worker-0', OWN);
    let isFirst = true;
    world.startOther(
      (parts) => control(parts, (context) => [createServingCertificateController(context, [])]),
      (transport) => {
        const { send: forward } = approvalAsStatus(transport);
        return {
          async send(request) {
            if (isFirst && request.path.includes('/approval')) {
              isFirst = false;
              const body = { metadata: { labels: { touched: '' } } };
              await world.kube.patch(requestKind, { name: 'touched' }, { type: 'merge', body });
            }
            return await forward(request);
          },
        };
      },
    );
    await send('touched');
    await world.env.clock.advance(1_000);
    expect(isFirst).toBe(false);
    expect(await conditionsOf('touched')).toEqual(APPROVED);
  });
});
