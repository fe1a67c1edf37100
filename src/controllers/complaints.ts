/**
 * What is wrong with an object is said once, not at every look at it: that would drown all else that is said about it. It
 * is said again where it was right in between, and after a while, because events are forgotten.
 */
import type { Clock } from '../base/env.ts';
import type { RolloutEvent } from '../rollout/index.ts';

/** Servers keep events for an hour. */
const REPEAT_MS = 30 * 60_000;

export class Complaints {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** By object: what was said, and when. */
  readonly #told = new Map<string, ReadonlyMap<string, number>>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Given all that is wrong with an object now: what of it is to be said. */
  news(object: string, events: readonly RolloutEvent[]): readonly RolloutEvent[] {
    const nowMs = this.#clock.monotonic();
    const before = this.#told.get(object);
    const after = new Map<string, number>();
    const news: RolloutEvent[] = [];
    for (const event of events) {
      const text = `${event.reason} ${event.message}`;
      const toldAtMs = before?.get(text);
      const isNews = toldAtMs === undefined || nowMs - toldAtMs >= REPEAT_MS;
      if (isNews) news.push(event);
      after.set(text, isNews ? nowMs : toldAtMs);
    }
    if (after.size === 0) this.#told.delete(object);
    else this.#told.set(object, after);
    return news;
  }
}
