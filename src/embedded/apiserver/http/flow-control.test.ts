import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../simulation/virtual-clock.ts';
import { FlowControl, type Seat } from './flow-control.ts';
import { DEFAULT_FLOW_LIMITS, type FlowLimits } from './flow-limits.ts';
import { DEFAULT_LIMITS } from './http-limits.ts';

const limits: FlowLimits = {
  seats: { 'leader-election': 2, system: 4, administrators: 4, workloads: 4, everyone: 8 },
  bytesPerSeat: 100,
  waitingPerUser: 3,
  waiting: 8,
  waitMs: 1_000,
  streams: 4,
};

function open(given: Partial<FlowLimits> = {}) {
  const clock = new VirtualClock();
  const control = new FlowControl({ limits: { ...limits, ...given }, clock });
  const log: string[] = [];
  const seats = new Map<string, Seat>();
  /** The letters are the user, the number tells the requests apart. */
  const ask = (name: string, { bytes = 0, signal }: { bytes?: number; signal?: AbortSignal } = {}) => {
    const user = name.replace(/\d/g, '');
    const record = (seat: Seat | undefined) => {
      log.push(seat === undefined ? `${name} refused` : `${name} seated`);
      if (seat !== undefined) seats.set(name, seat);
    };
    control.seat({ level: 'everyone', user, bytes, signal }).then(record, (error) => log.push(String(error)));
  };
  const release = (name: string) => seats.get(name)?.release();
  const heard = async () => {
    await clock.settle();
    return log.splice(0);
  };
  return { clock, control, ask, release, heard, seats };
}

describe('FlowControl with too many requests', () => {
  it('queues and rejects requests of one user while another gets a seat at once', async () => {
    const { ask, heard } = open();
    for (let count = 1; count <= 8; count++) ask(`noisy${count}`);
    ask('quiet1');
    expect(await heard()).toEqual([
      'noisy1 seated',
      'noisy2 seated',
      'noisy3 seated',
      'noisy4 seated',
      'noisy8 refused',
      'quiet1 seated',
    ]);
  });

  it('rejects queued requests after the time limit', async () => {
    const { clock, control, ask, heard } = open();
    for (let count = 1; count <= 5; count++) ask(`a${count}`);
    await heard();
    await clock.advance(999);
    expect(await heard()).toEqual([]);
    await clock.advance(1);
    expect(await heard()).toEqual(['a5 refused']);
    expect(control.statistics()).toEqual({ seated: 4, waiting: 0, streams: 0, refused: 1 });
    expect(clock.pending).toBe(0);
  });

  it('removes queued requests of disconnected clients', async () => {
    const { clock, control, ask, heard } = open();
    const gone = new AbortController();
    for (let count = 1; count <= 4; count++) ask(`a${count}`);
    ask('a5', { signal: gone.signal });
    await heard();
    gone.abort();
    expect(await heard()).toEqual(['a5 refused']);
    expect(control.statistics().waiting).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('bounds the queued requests of all users', async () => {
    const { control, ask, heard } = open({ waitingPerUser: 100 });
    for (let count = 1; count <= 40; count++) for (const user of 'abcdefgh') ask(`${user}${count}`);
    await heard();
    const { seated, waiting } = control.statistics();
    expect(seated).toBeLessThanOrEqual(8);
    expect(waiting).toBeLessThanOrEqual(8);
  });
});

describe('FlowControl with released seats', () => {
  it('gives a released seat to the user with the fewest seats', async () => {
    const { ask, release, heard } = open({ waiting: 100 });
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'a5', 'a6', 'b3', 'b4', 'c1', 'c2']) ask(name);
    await heard();
    const turns: string[] = [];
    for (const name of ['a1', 'a2', 'a3', 'a4']) {
      release(name);
      turns.push(...(await heard()));
    }
    expect(turns).toEqual(['c2 seated', 'a5 seated', 'a6 seated']);
    release('b1');
    release('b2');
    expect(await heard()).toEqual(['b3 seated', 'b4 seated']);
  });

  it('releases a seat only once', async () => {
    const { control, ask, release, heard, seats } = open();
    ask('a1');
    ask('a2');
    await heard();
    release('a1');
    release('a1');
    seats.get('a1')?.widen(1_000);
    expect(control.statistics().seated).toBe(1);
  });
});

describe('FlowControl with large requests', () => {
  it('takes seats by size and releases all of them', async () => {
    const { control, ask, release, heard } = open();
    ask('a1', { bytes: 250 });
    await heard();
    expect(control.statistics().seated).toBe(3);
    release('a1');
    expect(control.statistics().seated).toBe(0);
  });

  it('limits the seats of one request to what it can get', async () => {
    const { ask, heard } = open();
    ask('a1', { bytes: 1_000_000 });
    expect(await heard()).toEqual(['a1 seated']);
  });

  it('accounts for a large response within the share of its user', async () => {
    const { control, ask, heard, seats } = open();
    ask('a1');
    await heard();
    seats.get('a1')?.widen(1_000_000);
    expect(control.statistics().seated).toBe(4);
    for (const name of ['a2', 'b1', 'b2']) ask(name);
    expect(await heard()).toEqual(['b1 seated', 'b2 seated']);
  });

  it('dispatches a smaller request when the larger one before it is abandoned', async () => {
    const { ask, heard } = open();
    const gone = new AbortController();
    ask('a1');
    ask('a2', { bytes: 400, signal: gone.signal });
    ask('a3');
    expect(await heard()).toEqual(['a1 seated']);
    gone.abort();
    expect(await heard()).toEqual(['a2 refused', 'a3 seated']);
  });
});

describe('FlowControl with priority levels', () => {
  it('isolates priority levels', async () => {
    const { control, ask, heard } = open();
    for (const user of 'abcdefghijklm') for (let count = 1; count <= 9; count++) ask(`${user}${count}`);
    await heard();
    const lease = await control.seat({ level: 'leader-election', user: 'a', bytes: 0 });
    const node = await control.seat({ level: 'system', user: 'node', bytes: 0 });
    expect([lease, node]).not.toContain(undefined);
  });
});

describe('FlowControl with streams', () => {
  it('limits streams separately, without seats', () => {
    const { control } = open();
    const ends = [1, 2, 3].map(() => control.stream('noisy'));
    expect(ends.map((end) => end !== undefined)).toEqual([true, true, false]);
    expect(control.stream('quiet')).toBeDefined();
    expect(control.statistics()).toEqual({ seated: 0, waiting: 0, streams: 3, refused: 1 });
    ends[0]?.();
    ends[0]?.();
    expect(control.statistics().streams).toBe(2);
  });

  it('leaves connections for other requests', () => {
    expect(DEFAULT_FLOW_LIMITS.streams).toBeLessThan(DEFAULT_LIMITS.connections);
  });
});
