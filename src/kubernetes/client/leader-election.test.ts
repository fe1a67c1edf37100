/** Several candidates for one Lease on the embedded server, in simulated time. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Client, type InProcessWorld, inProcessWorld } from '../../../test/kube/in-process-world.ts';
import { assert } from '../../base/errors.ts';
import { lease, namespace } from '../types/index.ts';
import { createKube } from './client.ts';
import { guardedTransport } from './guarded-transport.ts';
import { runAsLeader, type Term } from './leader-election.ts';

const PLACE = { namespace: 'space', name: 'leader' };
const SECOND_MS = 1_000;
const DURATION_MS = 137 * SECOND_MS;

type Candidate = Client & {
  readonly identity: string;
  readonly terms: Term[];
  /** How long the work continues after it is stopped. */
  lingerMs: number;
  /** The work goes on until this is called. */
  finish: () => void;
  end: 'running' | 'resolved' | Error;
};

let world: InProcessWorld;
let candidates: Candidate[];
/** Who worked when, to be checked at the end. */
let spans: { readonly identity: string; readonly from: number; to: number }[];

beforeEach(async () => {
  world = await inProcessWorld();
  candidates = [];
  spans = [];
  const { kube } = world.client();
  await kube.create(namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: PLACE.namespace } });
});

afterEach(async () => {
  for (const candidate of candidates) {
    candidate.connection = 'good';
    candidate.env.stop();
  }
  await world.clock.advance(10 * 60 * SECOND_MS);
  await world.close();
  const sorted = spans.toSorted((a, b) => a.from - b.from);
  for (const [index, span] of sorted.entries()) {
    const next = sorted[index + 1];
    expect(next === undefined || span.to <= next.from, 'two lead at once').toBe(true);
  }
});

function candidate(identity: string, predecessors?: string): Candidate {
  const client = world.client(candidates.length + 10);
  const one: Candidate = Object.assign(client, {
    ...{ identity, terms: [], lingerMs: 0, end: 'running' as const, finish: () => undefined },
  });
  candidates.push(one);
  const before = predecessors === undefined ? {} : { predecessors };
  runAsLeader({ kube: client.kube, env: client.env, lease: PLACE, identity, ...before }, async (term) => {
    one.terms.push(term);
    const span = { identity, from: world.clock.monotonic(), to: Number.POSITIVE_INFINITY };
    spans.push(span);
    await new Promise<void>((resolve) => {
      one.finish = resolve;
      term.env.signal.addEventListener('abort', () => world.clock.after(one.lingerMs, resolve));
    });
    span.to = world.clock.monotonic();
  }).then(
    () => {
      one.end = 'resolved';
    },
    (error: Error) => {
      one.end = error;
    },
  );
  return one;
}

/** As by SIGKILL: nothing is sent any more, and the work is over. */
function kill(one: Candidate): void {
  one.connection = 'cut';
  one.env.stop();
  one.finish();
}

const leads = ({ terms }: Candidate) => terms.at(-1)?.env.signal.aborted === false;
const held = async () => (await world.client().kube.get(lease, PLACE))?.spec;

describe('an election', () => {
  it('is won by one candidate, who stays leader by renewing', async () => {
    const [first, second] = [candidate('first'), candidate('second')];
    await world.clock.advance(60 * 60 * SECOND_MS);
    expect([leads(first), first.terms.length, second.terms.length]).toEqual([true, 1, 0]);
    expect(await held()).toMatchObject({
      ...{ holderIdentity: 'first', leaseDurationSeconds: 137, leaseTransitions: 0 },
    });
    expect(first.terms[0]?.isHeld()).toBe(true);
  });

  it('is won by the next candidate within seconds when the leader stops gracefully', async () => {
    const first = candidate('first');
    await world.clock.settle();
    const second = candidate('second');
    await world.clock.advance(60 * SECOND_MS);
    first.lingerMs = 5 * SECOND_MS;
    first.env.stop();
    await world.clock.advance(4 * SECOND_MS);
    // Still at work, and still the holder.
    expect((await held())?.holderIdentity).toBe('first');
    await world.clock.advance(SECOND_MS);
    expect([first.end, (await held())?.holderIdentity]).toEqual(['resolved', undefined]);
    await world.clock.advance(5 * 1.2 * SECOND_MS);
    expect([leads(second), (await held())?.leaseTransitions]).toEqual([true, 1]);
  });

  it('is won by the next candidate after the whole lease duration when the leader vanishes', async () => {
    const first = candidate('first');
    await world.clock.settle();
    const second = candidate('second');
    await world.clock.advance(30 * SECOND_MS);
    const renewedAt = 26 * SECOND_MS;
    first.connection = 'cut';
    await world.clock.advance(renewedAt + DURATION_MS - world.clock.monotonic() - 1);
    expect(leads(second)).toBe(false);
    await world.clock.advance(40 * SECOND_MS);
    expect(leads(second)).toBe(true);
  });

  it.each(['cut', 'deaf', 'hanging'] as const)(
    'is won soon after an outage in which the leader was stopped: every connection is %s',
    async (fault) => {
      const first = candidate('first');
      await world.clock.settle();
      const second = candidate('second');
      await world.clock.advance(30 * SECOND_MS);
      for (const one of candidates) one.connection = fault;
      first.env.stop();
      await world.clock.advance(60 * SECOND_MS);
      expect([first.end, leads(second)]).toEqual(['running', false]);
      for (const one of candidates) one.connection = 'good';
      await world.clock.advance(10 * SECOND_MS);
      expect([first.end, (await held())?.holderIdentity]).toEqual(['resolved', undefined]);
      // It looks as often as a leader renews while there are no answers. The lease has not run out yet.
      await world.clock.advance(45 * SECOND_MS);
      expect(leads(second)).toBe(true);
      expect(world.clock.monotonic()).toBeLessThan(26 * SECOND_MS + DURATION_MS);
    },
  );

  it.each(['cut', 'hanging'] as const)(
    'is left after a minute and a half by a stopped leader whose connection stays %s',
    async (fault) => {
      const first = candidate('first');
      await world.clock.advance(30 * SECOND_MS);
      first.connection = fault;
      first.env.stop();
      await world.clock.advance(80 * SECOND_MS);
      expect(first.end).toBe('running');
      await world.clock.advance(15 * SECOND_MS);
      expect(first.end).toBe('resolved');
    },
  );

  it('is left by a stopped leader as soon as its lease has run out', async () => {
    const first = candidate('first');
    await world.clock.settle();
    first.lingerMs = 100 * SECOND_MS;
    first.connection = 'cut';
    first.env.stop();
    await world.clock.advance(100 * SECOND_MS);
    expect(first.end).toBe('running');
    await world.clock.advance(37 * SECOND_MS);
    expect(first.end).toBe('resolved');
  });

  it('is lost in time by a leader whose connection is cut, gets no responses, or hangs', async () => {
    for (const fault of ['cut', 'deaf', 'hanging'] as const) {
      const first = candidate(`cut off by being ${fault}`);
      await world.clock.advanceUntil(() => leads(first), 10 * 60 * SECOND_MS);
      first.connection = fault;
      const since = world.clock.monotonic();
      await world.clock.advanceUntil(() => !leads(first), DURATION_MS);
      const lastedMs = world.clock.monotonic() - since;
      expect(lastedMs).toBeLessThanOrEqual(107 * SECOND_MS);
      expect(first.terms[0]?.isHeld()).toBe(false);
      first.env.stop();
      await world.clock.advance(DURATION_MS);
    }
  });

  it('survives a short outage', async () => {
    const first = candidate('first');
    await world.clock.settle();
    const second = candidate('second');
    for (const fault of ['cut', 'deaf', 'hanging'] as const) {
      first.connection = fault;
      await world.clock.advance(70 * SECOND_MS);
      first.connection = 'good';
      await world.clock.advance(60 * SECOND_MS);
    }
    expect([leads(first), first.terms.length, second.terms.length]).toEqual([true, 1, 0]);
  });

  it('can be won again by a former leader', async () => {
    const first = candidate('first');
    await world.clock.settle();
    first.connection = 'cut';
    await world.clock.advance(DURATION_MS);
    first.connection = 'good';
    await world.clock.advance(60 * SECOND_MS);
    expect([leads(first), first.terms.length]).toEqual([true, 2]);
  });

  it('is lost at once by a leader whose lease has another holder', async () => {
    const first = candidate('first');
    await world.clock.settle();
    const { kube } = world.client();
    await kube.patch(lease, PLACE, { type: 'merge', body: { spec: { holderIdentity: 'usurper' } } });
    await world.clock.advance(27 * SECOND_MS);
    expect(leads(first)).toBe(false);
    await world.clock.advance(2 * DURATION_MS);
    expect([leads(first), first.terms.length]).toEqual([true, 2]);
  });

  it('has one winner at a time when the lease is deleted', async () => {
    const first = candidate('first');
    await world.clock.settle();
    const second = candidate('second');
    await world.clock.advance(10 * SECOND_MS);
    // It cannot put it back before the other looks.
    first.connection = 'cut';
    await world.client().kube.delete(lease, PLACE);
    await world.clock.advance(60 * SECOND_MS);
    expect([leads(first), leads(second)]).toEqual([true, false]);
    await world.clock.advance(60 * 60 * SECOND_MS);
    expect([leads(first), leads(second)].filter((isSo) => isSo)).toHaveLength(1);
  });

  it('is not lost when another client labels the lease', async () => {
    const first = candidate('first');
    await world.clock.settle();
    const { kube } = world.client();
    for (let minute = 0; minute < 5; minute++) {
      await kube.patch(lease, PLACE, {
        type: 'merge',
        body: { metadata: { labels: { at: String(minute) } } },
      });
      await world.clock.advance(60 * SECOND_MS);
    }
    expect([leads(first), first.terms.length]).toEqual([true, 1]);
  });

  it('ends the process of a leader whose work does not end in time', async () => {
    const first = candidate('first');
    await world.clock.settle();
    first.lingerMs = 60 * SECOND_MS;
    first.connection = 'cut';
    await world.clock.advance(136 * SECOND_MS);
    expect(first.end).toBe('running');
    first.connection = 'good';
    await world.clock.advance(2 * SECOND_MS);
    expect(first.end).toMatchObject({ reason: 'LeadershipLost' });
    // It is not released either: the work still goes on.
    expect((await held())?.holderIdentity).toBe('first');
  });

  it('ends when the work has ended, and releases', async () => {
    const first = candidate('first');
    await world.clock.advance(10 * SECOND_MS);
    first.finish();
    await world.clock.settle();
    expect([first.end, (await held())?.holderIdentity]).toEqual(['resolved', undefined]);
  });

  it('rejects as the work does, and releases', async () => {
    const { kube, env } = world.client();
    const work = async () => assert(false, 'a mistake of ours');
    const run = runAsLeader({ kube, env, lease: PLACE, identity: 'broken' }, work);
    await expect(run).rejects.toThrow('internal error: a mistake of ours');
    expect((await held())?.holderIdentity).toBeUndefined();
  });

  it('rejects at once where the work does and the server is away', async () => {
    const client = world.client();
    const work = async () => {
      client.connection = 'cut';
      assert(false, 'a mistake of ours');
    };
    const since = world.clock.monotonic();
    const run = runAsLeader({ kube: client.kube, env: client.env, lease: PLACE, identity: 'broken' }, work);
    await expect(run).rejects.toThrow('internal error: a mistake of ours');
    expect(world.clock.monotonic()).toBe(since);
  });

  it('is won at once by the next process of the pod whose process was killed, and not by another pod', async () => {
    const first = candidate('pod-a_1_x', 'pod-a_1_');
    await world.clock.advance(30 * SECOND_MS);
    const other = candidate('pod-b_2_y', 'pod-b_2_');
    await world.clock.advance(10 * SECOND_MS);
    kill(first);
    const next = candidate('pod-a_1_z', 'pod-a_1_');
    await world.clock.settle();
    expect([leads(next), other.terms.length]).toEqual([true, 0]);
    expect(await held()).toMatchObject({ holderIdentity: 'pod-a_1_z', leaseTransitions: 1 });
    await world.clock.advance(60 * 60 * SECOND_MS);
    expect([leads(next), next.terms.length, other.terms.length]).toEqual([true, 1, 0]);
  });

  it('is waited for by a pod of the same name and another uid', async () => {
    const first = candidate('pod-a_1_x', 'pod-a_1_');
    await world.clock.settle();
    kill(first);
    const next = candidate('pod-a_2_y', 'pod-a_2_');
    await world.clock.advance(DURATION_MS - 1);
    expect(leads(next)).toBe(false);
    await world.clock.advance(40 * SECOND_MS);
    expect(leads(next)).toBe(true);
  });

  it('is waited for by a second process of the pod that does not know the first to have ended', async () => {
    const first = candidate('pod-a_1_x', 'pod-a_1_');
    await world.clock.settle();
    const second = candidate('pod-a_1_y');
    await world.clock.advance(60 * 60 * SECOND_MS);
    expect([leads(first), second.terms.length]).toEqual([true, 0]);
  });

  it('is lost at the next renewal by a process that its pod wrongly takes for dead', async () => {
    const first = candidate('pod-a_1_x', 'pod-a_1_');
    await world.clock.settle();
    const { kube } = world.client();
    await kube.patch(lease, PLACE, { type: 'merge', body: { spec: { holderIdentity: 'pod-a_1_y' } } });
    await world.clock.advance(26 * SECOND_MS);
    expect(leads(first)).toBe(false);
    // It does not take it back as long as the other may be alive.
    await world.clock.advance(DURATION_MS - 1);
    expect(first.terms.length).toBe(1);
  });

  it('is left by a candidate that is stopped', async () => {
    candidate('first');
    await world.clock.settle();
    const second = candidate('second');
    await world.clock.advance(5 * SECOND_MS);
    second.env.stop();
    await world.clock.settle();
    expect([second.end, second.terms.length]).toEqual(['resolved', 0]);
  });
});

describe('the work of a leader', () => {
  /** A write that was sent and never answered, through what the shell gives the work. */
  const hangingWrite = async (one: Candidate) => {
    await world.clock.advanceUntil(() => leads(one), 10 * 60 * SECOND_MS);
    const [term] = one.terms;
    assert(term !== undefined, 'it leads');
    const sent: { readonly signal?: AbortSignal }[] = [];
    const silent = {
      send(request: { readonly signal?: AbortSignal }): Promise<never> {
        sent.push(request);
        return new Promise(() => undefined);
      },
    };
    const transport = guardedTransport(silent, () => term.isHeld(), term.over);
    const kube = createKube({ transport, env: term.env, fieldManager: 'work' });
    const write = { settledAt: Number.POSITIVE_INFINITY, isCut: () => sent[0]?.signal?.aborted };
    const settle = () => {
      write.settledAt = world.clock.monotonic();
    };
    kube.patch(lease, PLACE, { type: 'merge', body: {} }).then(settle, settle);
    return write;
  };

  it('has no write in flight when another candidate may lead', async () => {
    const first = candidate('first');
    await world.clock.settle();
    const second = candidate('second');
    await world.clock.advance(30 * SECOND_MS);
    first.connection = 'cut';
    const renewedAt = 26 * SECOND_MS;
    // As late as it may still write.
    await world.clock.advance(renewedAt + 107 * SECOND_MS - world.clock.monotonic() - 1);
    const write = await hangingWrite(first);
    expect(write.isCut()).toBe(false);
    await world.clock.advance(1);
    expect([write.isCut(), write.settledAt]).toEqual([true, renewedAt + 107 * SECOND_MS]);
    await world.clock.advanceUntil(() => leads(second), DURATION_MS);
  });

  it('may finish after a stop, and leaves no write in flight', async () => {
    const first = candidate('first');
    const write = await hangingWrite(first);
    first.lingerMs = 5 * SECOND_MS;
    first.env.stop();
    await world.clock.advance(4 * SECOND_MS);
    expect(write.isCut()).toBe(false);
    await world.clock.advance(SECOND_MS);
    expect([first.end, write.isCut()]).toEqual(['resolved', true]);
  });
});

describe('clocks of candidates', () => {
  it('may differ: a lease from the past or the future is waited for', async () => {
    const { kube } = world.client();
    for (const time of ['2001-01-01T00:00:00.000000Z', '2101-01-01T00:00:00.000000Z']) {
      await kube.apply(lease, {
        metadata: PLACE,
        spec: { holderIdentity: 'somebody', renewTime: time, leaseDurationSeconds: 137 },
      } as never);
      const since = world.clock.monotonic();
      const one = candidate(`candidate ${time}`);
      await world.clock.advanceUntil(() => leads(one), 10 * 60 * SECOND_MS);
      expect(world.clock.monotonic() - since).toBeGreaterThanOrEqual(DURATION_MS);
      one.env.stop();
      await world.clock.advance(SECOND_MS);
    }
  });

  it('may jump without making a second leader', async () => {
    const first = candidate('first');
    await world.clock.settle();
    const second = candidate('second');
    for (const jumpMs of [600 * SECOND_MS, -1_200 * SECOND_MS, 90 * SECOND_MS]) {
      world.clock.jump(jumpMs);
      await world.clock.advance(5 * 60 * SECOND_MS);
    }
    expect([leads(first), second.terms.length]).toEqual([true, 0]);
  });

  it('end the term before any write if they stood still while the machine slept', async () => {
    const first = candidate('first');
    await world.clock.advance(10 * SECOND_MS);
    world.clock.jump(3_600 * SECOND_MS);
    expect(first.terms[0]?.isHeld()).toBe(false);
  });

  it('respect a lease duration of the holder that is longer than ours', async () => {
    const { kube } = world.client();
    const spec = {
      holderIdentity: 'patient',
      renewTime: '2026-01-01T00:00:00.000000Z',
      leaseDurationSeconds: 270,
    };
    await kube.apply(lease, { metadata: PLACE, spec } as never);
    const one = candidate('one');
    await world.clock.advance(269 * SECOND_MS);
    expect(leads(one)).toBe(false);
    await world.clock.advance(40 * SECOND_MS);
    expect(leads(one)).toBe(true);
  });
});
