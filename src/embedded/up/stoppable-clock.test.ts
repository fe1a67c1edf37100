import { expect, it } from 'vitest';
import { virtualEnv } from '../../../test/support/virtual-env.ts';
import { StoppableClock } from './stoppable-clock.ts';

it('StoppableClock runs no timers after it is stopped', async () => {
  const env = virtualEnv();
  const clock = new StoppableClock(env.clock);
  const happened: string[] = [];
  clock.after(10, () => happened.push('before'));
  clock.after(10, () => happened.push('cancelled')).cancel();
  clock.after(30, () => happened.push('later'));
  await env.clock.advance(20);
  clock.stop();
  clock.after(1, () => happened.push('after the stop'));
  await env.clock.advance(100);
  expect(happened).toEqual(['before']);
  expect(clock.now()).toBe(env.clock.now());
});
