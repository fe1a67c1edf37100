import { describe, expect, it } from 'vitest';
import { seededRandom } from './seeded-random.ts';
import { VirtualClock } from './virtual-clock.ts';

describe('a virtual clock', () => {
  it('does not advance by itself', async () => {
    const clock = new VirtualClock();
    const calls: number[] = [];
    clock.after(0, () => calls.push(0));
    await clock.settle();
    expect([calls, clock.monotonic(), clock.pending]).toEqual([[], 0, 1]);
  });

  it('calls timers in the order of their times, and of their creation where times are equal', async () => {
    const clock = new VirtualClock();
    const calls: string[] = [];
    const random = seededRandom(7);
    const delays = Array.from({ length: 500 }, () => Math.floor(random.next() * 50));
    for (const [index, delay] of delays.entries()) clock.after(delay, () => calls.push(`${delay}/${index}`));
    await clock.advance(49);
    const expected = delays
      .map((delay, index) => ({ delay, index }))
      .sort((a, b) => a.delay - b.delay || a.index - b.index)
      .map(({ delay, index }) => `${delay}/${index}`);
    expect(calls).toEqual(expected);
  });

  it('gets on where a wait is too short to change its time: it keeps whole milliseconds', async () => {
    const clock = new VirtualClock();
    await clock.advance(999_999.9);
    expect(clock.monotonic()).toBe(1_000_000);
    const waits: number[] = [];
    const again = () => {
      waits.push(clock.monotonic());
      if (waits.length < 3) clock.after(1e-11, again);
    };
    clock.after(0.1 + 0.2, again);
    await clock.advance(10);
    expect(waits).toEqual([1_000_001, 1_000_002, 1_000_003]);
  });

  it('waits for the promises of a timer before it calls the next one', async () => {
    const clock = new VirtualClock();
    const trace: string[] = [];
    const chain = async (name: string) => {
      for (let step = 1; step <= 3; step++) {
        trace.push(`${name}${step}`);
        await Promise.resolve();
      }
    };
    clock.after(1, () => void chain('a'));
    clock.after(1, () => void chain('b'));
    await clock.advance(1);
    expect(trace).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'b3']);
  });

  it('calls timers that were created by timers, at their time', async () => {
    const clock = new VirtualClock();
    const times: number[] = [];
    const tick = () => {
      times.push(clock.monotonic());
      if (times.length < 4) clock.after(10, tick);
    };
    clock.after(10, tick);
    await clock.advance(35);
    expect([times, clock.monotonic(), clock.now() - new VirtualClock().now()]).toEqual([
      [10, 20, 30],
      35,
      35,
    ]);
  });

  it('does not call cancelled timers', async () => {
    const clock = new VirtualClock();
    let called = 0;
    const timers = [5, 1, 3].map((delay) => clock.after(delay, () => called++));
    for (const timer of timers) timer.cancel();
    timers[0]?.cancel();
    expect([clock.pending, clock.nextInMs()]).toEqual([0, undefined]);
    await clock.advance(10);
    expect(called).toBe(0);
  });

  it('changes only the wall clock when it jumps', () => {
    const clock = new VirtualClock({ startMs: 1000 });
    clock.jump(-400);
    expect([clock.now(), clock.monotonic()]).toEqual([600, 0]);
  });

  it('fails when the awaited condition cannot occur', async () => {
    const clock = new VirtualClock();
    await expect(clock.advanceUntil(() => false, 100)).rejects.toThrow(/did not come about/);
    await expect(clock.resolved(new Promise(() => undefined), 100)).rejects.toThrow(/did not come about/);
    clock.after(50, () => undefined);
    await clock.advanceUntil(() => clock.monotonic() >= 50, 100);
    expect(clock.monotonic()).toBe(50);
  });

  it('detects an endless loop without progress', async () => {
    const clock = new VirtualClock();
    const again = () => {
      clock.after(0, again);
    };
    again();
    await expect(clock.advance(1)).rejects.toThrow(/internal error: the clock gets on/);
  });
});

describe('seeded randomness', () => {
  it('is deterministic, uniform, and makes valid UUIDs', () => {
    const [one, same, other] = [seededRandom(3), seededRandom(3), seededRandom(4)];
    const draws = Array.from({ length: 1000 }, () => one.next());
    expect(Array.from({ length: 1000 }, () => same.next())).toEqual(draws);
    expect(other.next()).not.toBe(draws[0]);
    expect(Math.min(...draws)).toBeLessThan(0.01);
    expect(Math.max(...draws)).toBeGreaterThan(0.99);
    expect(Math.max(...draws)).toBeLessThan(1);
    expect(one.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
