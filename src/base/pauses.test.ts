import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../simulation/virtual-clock.ts';
import { Pauses } from './pauses.ts';

const MINUTE = 60_000;

function watched() {
  const clock = new VirtualClock();
  const stopping = new AbortController();
  const pauses = new Pauses({ clock, signal: stopping.signal });
  const noticed: number[] = [];
  pauses.onPause((missedMs) => noticed.push(Math.round(missedMs / 1000)));
  return { clock, stopping, pauses, noticed, beganMs: clock.now() };
}

describe('a pause of the process', () => {
  it.each<[string, (clock: VirtualClock) => unknown, number]>([
    // It may have run for up to an interval of beats.
    ['when it was stopped while both clocks went on', (clock) => clock.stall(MINUTE), 55],
    ['when the machine slept, with its monotonic clock', (clock) => clock.jump(MINUTE), 60],
  ])('is noticed %s', async (_, pause, seconds) => {
    const { clock, pauses, noticed, beganMs } = watched();
    await clock.advance(10_000);
    await pause(clock);
    await clock.advance(10_000);
    expect(noticed).toEqual([seconds]);
    expect(pauses.missedSinceMs(beganMs)).toBe(seconds * 1000);
    expect(pauses.missedSinceMs(clock.now())).toBe(0);
  });

  it('is noticed by the first caller, also before the late heartbeat', async () => {
    const { clock, pauses, noticed } = watched();
    const asked: number[] = [];
    clock.after(1_000, () => asked.push(pauses.missedSinceMs(0)));
    await clock.stall(MINUTE);
    await clock.advance(10_000);
    expect([asked, noticed]).toEqual([[55_000], [55]]);
  });

  it('counts in part for what happened in the middle of it', async () => {
    const { clock, pauses, beganMs } = watched();
    await clock.stall(MINUTE);
    expect(pauses.missedSinceMs(beganMs + 50_000)).toBe(5_000);
  });

  it('is none while the process runs, however long and with whatever timers', async () => {
    const { clock, pauses, noticed } = watched();
    await clock.advance(60 * MINUTE);
    await clock.stall(10_000);
    await clock.advance(60 * MINUTE);
    clock.jump(-60 * MINUTE);
    await clock.advance(60 * MINUTE);
    expect([noticed, pauses.missedSinceMs(0)]).toEqual([[], 0]);
  });

  it('is not watched for once the signal is aborted', () => {
    const { clock, stopping } = watched();
    stopping.abort();
    expect(clock.pending).toBe(0);
  });
});
