import { describe, expect, it } from 'vitest';
import { seededRandom } from '../seeded-random.ts';
import { assumedTimes, DEFAULT_NODE_MINUTES } from './assumed-times.ts';

const MINUTE = 60_000;
const node = (name: string, pool: string, ...history: readonly number[]) => ({ name, pool, history });
/** From the request to reboot until the kubelet reports, in the middle of many draws. */
const rebootMs = (times: ReturnType<typeof assumedTimes>, name = 'a') => {
  const random = seededRandom(1);
  const [from, to] = times.pace.kubeletStartMs;
  const draws = Array.from({ length: 201 }, () => {
    const { bootMs, shutDownMs } = times.timesOf(name, random);
    return bootMs + shutDownMs + (from + to) / 2;
  });
  return draws.toSorted((a, b) => a - b)[100] ?? 0;
};

describe('assumed times', () => {
  it('of a sandbox are its own, divided by its speed, without a spread', () => {
    const times = assumedTimes({ sandboxSpeed: 10, nodes: [node('a', 'worker', 5 * MINUTE)] });
    expect(times.timesOf('a', seededRandom(1))).toEqual({
      ...{ bootMs: 2_000, shutDownMs: 500, pullMs: 1_000, stageMs: 500 },
    });
    expect([times.speed, times.source]).toEqual([10, { kind: 'sandbox', speed: 10 }]);
  });

  it('are those that were given, whatever nodes have recorded', () => {
    const times = assumedTimes({ nodeMinutes: 12, nodes: [node('a', 'worker', 5 * MINUTE)] });
    expect(rebootMs(times) / (12 * MINUTE)).toBeCloseTo(1, 1);
    expect(times.source).toEqual({ kind: 'given', minutes: 12 });
  });

  it('of a node are those of its own updates, else of its pool, else of all', () => {
    const nodes = [
      ...[node('a', 'worker', 3 * MINUTE), node('b', 'worker'), node('c', 'infra')],
      ...[node('d', 'gpu', 30 * MINUTE), node('e', 'gpu', 30 * MINUTE)],
    ];
    const times = assumedTimes({ nodes });
    expect(times.source).toMatchObject({ kind: 'history', updates: 3, medianMinutes: 30 });
    expect(rebootMs(times, 'a')).toBe(rebootMs(times, 'b'));
    expect(rebootMs(times, 'c')).toBeGreaterThan(5 * rebootMs(times, 'a'));
  });

  it('are the default where nothing is known', () => {
    const times = assumedTimes({ nodes: [node('a', 'worker')] });
    expect(rebootMs(times) / (DEFAULT_NODE_MINUTES * MINUTE)).toBeCloseTo(1, 1);
  });

  it('differ by a fifth at most where nothing but their middle is known', () => {
    const times = assumedTimes({ nodeMinutes: 10, nodes: [] });
    const random = seededRandom(7);
    const draws = Array.from({ length: 500 }, () => times.timesOf('a', random).bootMs);
    expect(Math.max(...draws) / Math.min(...draws)).toBeLessThan(1.25 / 0.78);
    expect(new Set(draws).size).toBeGreaterThan(400);
  });
});
