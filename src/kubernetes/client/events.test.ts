import { describe, expect, it } from 'vitest';
import { type Canned, CannedTransport } from '../../../test/kube/canned-transport.ts';
import { virtualEnv } from '../../../test/support/virtual-env.ts';
import { isObject } from '../../base/json.ts';
import { createKube } from './client.ts';
import { createEventRecorder } from './events.ts';

const worker = { apiVersion: 'v1', kind: 'Node', name: 'worker-0', uid: 'u' };
const MINUTE_MS = 60_000;

function world(answers: readonly (Canned | 'hang' | Error)[] = [], settings = {}) {
  const env = virtualEnv();
  const stored: Canned = { body: { metadata: { name: 'stored' } } };
  const transport = new CannedTransport(env.clock, [...answers, ...Array<Canned>(5_000).fill(stored)]);
  const kube = createKube({
    transport,
    env,
    fieldManager: 'tests',
    limits: { rate: { perSecond: 1e6, burst: 1e6 } },
  });
  const events = createEventRecorder({
    kube,
    env,
    component: 'the-component',
    namespace: 'openshift-machine-config-operator',
    settings,
  });
  const written = () =>
    transport.asked.map(({ method, path, body }) => {
      const sent: unknown = JSON.parse(new TextDecoder().decode(body));
      return { method, path, sent: isObject(sent) ? sent : {} };
    });
  return { env, events, written };
}

describe('an event', () => {
  it('is written after the caller has continued', async () => {
    const { env, events, written } = world();
    events.normal(worker, 'Cordon', 'Cordoned node to apply update');
    expect(written()).toEqual([]);
    await env.clock.settle();
    const [{ method, path, sent } = { method: '', path: '', sent: {} }] = written();
    expect([method, path]).toEqual(['POST', '/api/v1/namespaces/openshift-machine-config-operator/events']);
    expect(sent).toEqual({
      ...{ apiVersion: 'v1', kind: 'Event' },
      metadata: {
        name: expect.stringMatching(/^worker-0\.[0-9a-f]{16}$/),
        namespace: 'openshift-machine-config-operator',
      },
      involvedObject: { ...worker, namespace: 'openshift-machine-config-operator' },
      ...{ type: 'Normal', reason: 'Cordon', message: 'Cordoned node to apply update', count: 1 },
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:00Z',
      source: { component: 'the-component' },
      reportingComponent: 'the-component',
      reportingInstance: '',
    });
  });

  it('is in the namespace of its subject', async () => {
    const { env, events, written } = world();
    events.warning({ apiVersion: 'v1', kind: 'Pod', name: 'p', namespace: 'space' }, 'Odd', 'odd');
    await env.clock.settle();
    expect(written()[0]).toMatchObject({
      path: '/api/v1/namespaces/space/events',
      sent: { type: 'Warning', involvedObject: { namespace: 'space' } },
    });
  });

  it('that repeats increases the count of the existing one', async () => {
    const { env, events, written } = world();
    events.normal(worker, 'Drain', 'Draining node to update config.');
    await env.clock.advance(9 * MINUTE_MS);
    events.normal(worker, 'Drain', 'Draining node to update config.');
    await env.clock.advance(9 * MINUTE_MS);
    events.normal(worker, 'Drain', 'Draining node to update config.');
    await env.clock.settle();
    const [first, ...more] = written();
    const metadata = isObject(first?.sent.metadata) ? first.sent.metadata : {};
    const path = `/api/v1/namespaces/openshift-machine-config-operator/events/${String(metadata.name)}`;
    expect(more).toEqual([
      { method: 'PATCH', path, sent: { count: 2, lastTimestamp: '2026-01-01T00:09:00Z' } },
      { method: 'PATCH', path, sent: { count: 3, lastTimestamp: '2026-01-01T00:18:00Z' } },
    ]);
  });

  it('is created anew if the last one is old or differs in any field', async () => {
    const { env, events, written } = world();
    events.normal(worker, 'A', 'x');
    await env.clock.advance(10 * MINUTE_MS + 1);
    events.normal(worker, 'A', 'x');
    events.warning(worker, 'A', 'x');
    events.normal(worker, 'B', 'x');
    events.normal(worker, 'A', 'y');
    events.normal({ ...worker, uid: 'another' }, 'A', 'x');
    await env.clock.settle();
    expect(written().map(({ method }) => method)).toEqual(Array(6).fill('POST'));
  });

  it('that repeats many times at once is written once, with its count', async () => {
    const { env, events, written } = world();
    for (let index = 0; index < 10; index++) events.normal(worker, 'A', 'x');
    await env.clock.settle();
    expect(written()).toMatchObject([{ method: 'POST', sent: { count: 10 } }]);
  });

  it('that was deleted is created anew, and keeps its count', async () => {
    const { env, events, written } = world([{ body: { metadata: { name: 'x' } } }]);
    events.normal(worker, 'A', 'x');
    await env.clock.settle();
    const metadata = written()[0]?.sent.metadata;
    const name = isObject(metadata) ? String(metadata.name) : '';
    const gone = { status: 404, body: { kind: 'Status', reason: 'NotFound', details: { name } } };
    const second = world([{ body: { metadata: { name: 'x' } } }, gone]);
    second.events.normal(worker, 'A', 'x');
    await second.env.clock.settle();
    second.events.normal(worker, 'A', 'x');
    await second.env.clock.settle();
    expect(second.written().map(({ method }) => method)).toEqual(['POST', 'PATCH', 'POST']);
    expect(second.written()[2]?.sent.count).toBe(2);
  });

  it('is truncated if it is very long', async () => {
    const { env, events, written } = world();
    events.normal({ ...worker, name: 'n'.repeat(253) }, 'A', 'x'.repeat(100_000));
    await env.clock.settle();
    const { metadata, message } = written()[0]?.sent ?? {};
    expect(String(message)).toHaveLength(4_096);
    expect(isObject(metadata) && String(metadata.name).length).toBeLessThanOrEqual(253);
  });
});

describe('a recorder', () => {
  it('never fails its caller, and drops events that the server rejects', async () => {
    const refused: Canned = { status: 422, body: { kind: 'Status', message: 'no' } };
    const { env, events, written } = world([refused]);
    events.normal(worker, 'A', 'x');
    await env.clock.advance(10 * MINUTE_MS);
    expect(written()).toHaveLength(1);
    expect(env.lines).toMatchObject([
      { level: 'info', message: "Event(Node/worker-0): type: 'Normal' reason: 'A' x" },
      { level: 'warn', fields: { reason: 'A', error: 'no' } },
    ]);
    events.normal(worker, 'A', 'x');
    await env.clock.settle();
    // It was never written, so there is nothing to patch.
    expect(written()[1]).toMatchObject({ method: 'POST', sent: { count: 2 } });
  });

  it('retries a few times on server errors', async () => {
    const { env, events, written } = world([
      { status: 500 },
      new Error('ECONNRESET'),
      { status: 503 },
      { status: 500 },
    ]);
    events.normal(worker, 'A', 'x');
    await env.clock.advance(10 * MINUTE_MS);
    expect([written().length, env.clock.pending]).toEqual([4, 0]);
    const other = world([{ status: 500 }]);
    other.events.normal(worker, 'A', 'x');
    await other.env.clock.advance(MINUTE_MS);
    // The log holds only the event itself.
    expect([other.written().length, other.env.lines.length]).toEqual([2, 1]);
  });

  it('limits the events per object, not those of other objects', async () => {
    const { env, events, written } = world();
    for (let index = 0; index < 100; index++) events.normal(worker, 'A', `message ${index}`);
    events.normal({ ...worker, name: 'worker-1' }, 'A', 'x');
    await env.clock.settle();
    expect(written()).toHaveLength(26);
    await env.clock.advance(5 * MINUTE_MS);
    for (let index = 0; index < 100; index++) events.normal(worker, 'B', `message ${index}`);
    await env.clock.settle();
    expect(written()).toHaveLength(36);
  });

  it('does not charge repeated events to the limit of new ones', async () => {
    const { env, events, written } = world();
    events.normal(worker, 'A', 'x');
    for (let index = 0; index < 24; index++) {
      await env.clock.settle();
      events.normal(worker, 'A', 'x');
    }
    await env.clock.settle();
    for (let index = 0; index < 24; index++) events.normal(worker, 'B', `message ${index}`);
    await env.clock.settle();
    const methods = written().map(({ method }) => method);
    expect(methods.filter((method) => method === 'POST')).toHaveLength(25);
    expect(methods.filter((method) => method === 'PATCH')).toHaveLength(24);
  });

  it('counts while it is limited, and writes the total with the next event', async () => {
    const { env, events, written } = world();
    for (let index = 0; index < 1_000; index++) {
      events.normal(worker, 'A', 'x');
      await env.clock.settle();
    }
    expect(written()).toHaveLength(26);
    await env.clock.advance(MINUTE_MS);
    events.normal(worker, 'A', 'x');
    await env.clock.settle();
    expect(written()).toHaveLength(27);
    expect(written().at(-1)).toMatchObject({ method: 'PATCH', sent: { count: 1_001 } });
  });

  it('adds repetitions to a pending event regardless of the limit', async () => {
    const { env, events, written } = world(['hang']);
    for (let index = 0; index < 25; index++) events.normal(worker, 'A', `message ${index}`);
    await env.clock.settle();
    for (let index = 0; index < 100; index++) events.normal(worker, 'A', 'message 24');
    await env.clock.advance(5 * MINUTE_MS);
    expect(written().at(-1)).toMatchObject({ method: 'POST', sent: { message: 'message 24', count: 101 } });
  });

  it('bounds its queue while the server hangs', async () => {
    const { env, events, written } = world(['hang', 'hang', 'hang', 'hang']);
    for (let index = 0; index < 5_000; index++)
      events.normal({ ...worker, name: `worker-${index}` }, 'A', 'x');
    await env.clock.advance(60 * MINUTE_MS);
    expect(written().length).toBe(4 + 999);
    expect(env.lines.filter(({ message }) => message.includes('the queue is full'))).toHaveLength(4_000);
  });

  it('flushes pending events on exit, within a time limit', async () => {
    const { env, events, written } = world();
    events.normal(worker, 'Reboot', 'Node will reboot into config x');
    env.stop();
    await env.clock.resolved(events.flush(1_000), 1_000);
    expect(written()).toHaveLength(1);
    const hung = world(['hang']);
    hung.events.normal(worker, 'A', 'x');
    await hung.env.clock.resolved(hung.events.flush(1_000), 1_000);
    expect(hung.env.clock.monotonic()).toBe(1_000);
    await world().events.flush(0);
  });
});
