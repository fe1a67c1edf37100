import { describe, expect, it } from 'vitest';
import type { TransportRequest, TransportResponse } from '../kubernetes/client/index.ts';
import { CALM, Network, type Served } from './network.ts';
import { ProcessGate } from './process/process-gate.ts';
import { seededRandom } from './seeded-random.ts';
import { Trace } from './trace.ts';
import { VirtualClock } from './virtual-clock.ts';

const WRITE: TransportRequest = { method: 'PATCH', path: '/api/v1/nodes/worker-0', query: '', headers: {} };
const READ: TransportRequest = { ...WRITE, method: 'GET' };
const WATCH: TransportRequest = { ...READ, path: '/api/v1/nodes', query: 'watch=true' };

/** A server that answers 200, and sends news of a watch once a second. */
function aNetwork({ seed = 1 }: { readonly seed?: number } = {}) {
  const clock = new VirtualClock();
  const served: Served[] = [];
  const trace = new Trace({ nowMs: () => clock.monotonic() });
  const handle = async ({ query }: { readonly query: string }) => ({
    status: 200,
    headers: [],
    body: query === '' ? new TextEncoder().encode('{}') : news(clock),
  });
  const network = new Network({ clock, trace, handle, onServed: (one) => served.push(one) });
  const gate = new ProcessGate({ clock, onKill: () => undefined });
  const user = { name: 'daemon', groups: [] };
  const link = network.link({ actor: 'daemon/worker-0', user, gate, random: seededRandom(seed) });
  return { clock, network, served, trace, gate, link };
}

async function* news(clock: VirtualClock): AsyncGenerator<Uint8Array> {
  for (let count = 1; count <= 20; count++) {
    await new Promise<void>((resolve) => {
      clock.after(1_000, resolve);
    });
    yield new TextEncoder().encode(String(count));
  }
}

/** All news of a watch with their times, until it ends. */
function follow(clock: VirtualClock, response: Promise<TransportResponse>) {
  const heard: { readonly text: string; readonly atMs: number }[] = [];
  const ended = response.then(async ({ body }) => {
    for await (const piece of body)
      heard.push({ text: new TextDecoder().decode(piece), atMs: clock.monotonic() });
  });
  return { heard, ended };
}

describe('a network that drops events', () => {
  it('accepts them without asking the server, and nothing else', async () => {
    const { clock, network, link, served } = aNetwork();
    network.conditions = { ...CALM, dropsEvents: true };
    const path = '/api/v1/namespaces/default/events';
    const body = new TextEncoder().encode('{"metadata":{"name":"worker-0.1"}}');
    const created = await clock.resolved(link.send({ ...WRITE, method: 'POST', path, body }), 1_000);
    const counted = await clock.resolved(link.send({ ...WRITE, path: `${path}/worker-0.1` }), 1_000);
    await clock.resolved(link.send({ ...READ, path }), 1_000);
    await clock.resolved(link.send(WRITE), 1_000);
    expect([created.status, counted.status]).toEqual([201, 200]);
    expect(served.map(({ request }) => `${request.method} ${request.path}`)).toEqual([
      `GET ${path}`,
      'PATCH /api/v1/nodes/worker-0',
    ]);
  });
});

describe('a calm network', () => {
  it('takes a little time and loses nothing', async () => {
    const { clock, link, served, trace } = aNetwork();
    const { status } = await clock.resolved(link.send(WRITE), 1_000);
    expect([status, served.map(({ actor }) => actor), clock.monotonic() > 1]).toEqual([
      200,
      ['daemon/worker-0'],
      true,
    ]);
    expect(trace.last(1)[0]).toContain('daemon/worker-0 PATCH /api/v1/nodes/worker-0 200');
  });

  it('passes news on, all of them and in order', async () => {
    const { clock, link } = aNetwork();
    const { heard, ended } = follow(clock, link.send(WATCH));
    await clock.resolved(ended, 60_000);
    expect(heard.map(({ text }) => text)).toEqual(
      Array.from({ length: 20 }, (_, index) => String(index + 1)),
    );
  });
});

describe('a network that fails', () => {
  it('loses, refuses and delays requests, in ways that follow from the seed', async () => {
    const outcomesOf = async (seed: number) => {
      const { clock, network, link, served } = aNetwork({ seed });
      network.conditions = { ...CALM, faults: 1 };
      const outcomes: string[] = [];
      for (let count = 0; count < 60; count++) {
        const before = served.length;
        const settled = link.send(WRITE).then(
          ({ status }) => String(status),
          (error: Error) => error.message,
        );
        const outcome = await clock.resolved(settled, 60_000);
        outcomes.push(`${outcome}${served.length > before ? ', and it was made' : ''}`);
      }
      await clock.advance(120_000);
      return { outcomes, served: served.length };
    };
    const { outcomes, served } = await outcomesOf(5);
    const lost = 'PATCH /api/v1/nodes/worker-0: the connection was lost';
    expect([...new Set(outcomes)].sort()).toEqual(['409', '429', '500', lost, `${lost}, and it was made`]);
    // Some were given up, and made later.
    expect(served).toBeGreaterThan(outcomes.filter((outcome) => outcome.includes('made')).length);
    expect(await outcomesOf(5)).toEqual({ outcomes, served });
    expect((await outcomesOf(6)).outcomes).not.toEqual(outcomes);
  });

  it('never answers a read with a conflict', async () => {
    const { clock, network, link } = aNetwork();
    network.conditions = { ...CALM, faults: 1 };
    for (let count = 0; count < 30; count++) {
      const settled = link.send(READ).then(
        ({ status }) => status,
        () => 0,
      );
      expect([0, 429, 500]).toContain(await clock.resolved(settled, 60_000));
    }
  });

  it('has news that are late, and still in order', async () => {
    const { clock, network, link } = aNetwork();
    network.conditions = { ...CALM, lateMs: 20_000 };
    const { heard, ended } = follow(clock, link.send(WATCH));
    await clock.resolved(ended, 600_000);
    const numbers = heard.map(({ text }) => Number(text));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(heard.some(({ text, atMs }) => atMs > Number(text) * 1_000 + 1_000)).toBe(true);
  });

  it('repeats news, and cuts watches off', async () => {
    let [repeated, cut] = [0, 0];
    for (let seed = 1; seed <= 20; seed++) {
      const { clock, network, link } = aNetwork({ seed });
      const { heard, ended } = follow(clock, link.send(WATCH));
      await clock.advance(3_500);
      network.conditions = { ...CALM, faults: 0.3 };
      await clock.resolved(ended, 60_000);
      const texts = heard.map(({ text }) => text);
      const different = new Set(texts).size;
      if (different < texts.length) repeated += 1;
      if (different < 20) cut += 1;
    }
    expect([repeated > 0, cut > 0]).toEqual([true, true]);
  });
});

describe('a partition', () => {
  it('lets nothing of its actor through until it is healed', async () => {
    const { clock, network, link, served } = aNetwork();
    network.partition('daemon/worker-0');
    const failed = link.send(WRITE).catch((error: Error) => error.message);
    expect(await clock.resolved(failed, 60_000)).toContain('the connection was lost');
    expect(served).toEqual([]);
    network.heal('daemon/worker-0');
    expect((await clock.resolved(link.send(WRITE), 60_000)).status).toBe(200);
  });

  it('makes watches silent, and cuts them when it is healed', async () => {
    const { clock, network, link } = aNetwork();
    const { heard, ended } = follow(clock, link.send(WATCH));
    await clock.advance(3_500);
    const before = heard.length;
    network.partition('daemon/worker-0');
    await clock.advance(5_000);
    expect([before > 0, heard.length]).toEqual([true, before]);
    network.heal();
    await clock.resolved(ended, 10_000);
    expect(heard.length).toBe(before);
  });
});

describe('a process that is killed', () => {
  it('hears no answer, although its request was served', async () => {
    const { clock, link, gate, served } = aNetwork();
    gate.planKill({ call: 1, side: 'after' });
    let isAnswered = false;
    link.send(WRITE).then(
      () => {
        isAnswered = true;
      },
      () => {
        isAnswered = true;
      },
    );
    await clock.advance(60_000);
    expect([served.length, isAnswered]).toEqual([1, false]);
  });
});
