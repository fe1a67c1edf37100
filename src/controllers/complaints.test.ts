import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../test/virtual-clock.ts';
import { Complaints } from './complaints.ts';

const wrong = (message: string) => ({ type: 'Warning', reason: 'InvalidSpec', message }) as const;
const MINUTE = 60_000;

describe('complaints about an object', () => {
  it('are news once, for each object by itself', () => {
    const complaints = new Complaints(new VirtualClock());
    expect(complaints.news('worker', [wrong('a')])).toEqual([wrong('a')]);
    expect(complaints.news('worker', [wrong('a'), wrong('b')])).toEqual([wrong('b')]);
    expect(complaints.news('worker', [wrong('a'), wrong('b')])).toEqual([]);
    expect(complaints.news('infra', [wrong('a')])).toEqual([wrong('a')]);
  });

  it('are news again where all was well in between', () => {
    const complaints = new Complaints(new VirtualClock());
    complaints.news('worker', [wrong('a'), wrong('b')]);
    complaints.news('worker', [wrong('b')]);
    expect(complaints.news('worker', [wrong('a'), wrong('b')])).toEqual([wrong('a')]);
    complaints.news('worker', []);
    expect(complaints.news('worker', [wrong('b')])).toEqual([wrong('b')]);
  });

  it('are news again before the server has forgotten them, however often they are looked at', async () => {
    const clock = new VirtualClock();
    const complaints = new Complaints(clock);
    const toldAt: number[] = [];
    for (let minute = 0; minute <= 65; minute++) {
      if (complaints.news('worker', [wrong('a')]).length > 0) toldAt.push(minute);
      await clock.advance(MINUTE);
    }
    expect(toldAt).toEqual([0, 30, 60]);
  });
});
