import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../simulation/virtual-clock.ts';
import { WarningEvents } from './warning-events.ts';

const wrong = (message: string) => ({ type: 'Warning', reason: 'InvalidSpec', message }) as const;
const MINUTE = 60_000;

describe('WarningEvents', () => {
  it('records a warning once per object', () => {
    const warnings = new WarningEvents(new VirtualClock());
    expect(warnings.due('worker', [wrong('a')])).toEqual([wrong('a')]);
    expect(warnings.due('worker', [wrong('a'), wrong('b')])).toEqual([wrong('b')]);
    expect(warnings.due('worker', [wrong('a'), wrong('b')])).toEqual([]);
    expect(warnings.due('infra', [wrong('a')])).toEqual([wrong('a')]);
  });

  it('records a warning again if it was resolved in between', () => {
    const warnings = new WarningEvents(new VirtualClock());
    warnings.due('worker', [wrong('a'), wrong('b')]);
    warnings.due('worker', [wrong('b')]);
    expect(warnings.due('worker', [wrong('a'), wrong('b')])).toEqual([wrong('a')]);
    warnings.due('worker', []);
    expect(warnings.due('worker', [wrong('b')])).toEqual([wrong('b')]);
  });

  it('records a warning again before the server has deleted its event, however often the object is reconciled', async () => {
    const clock = new VirtualClock();
    const warnings = new WarningEvents(clock);
    const recordedAt: number[] = [];
    for (let minute = 0; minute <= 65; minute++) {
      if (warnings.due('worker', [wrong('a')]).length > 0) recordedAt.push(minute);
      await clock.advance(MINUTE);
    }
    expect(recordedAt).toEqual([0, 30, 60]);
  });
});
