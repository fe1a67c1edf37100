/**
 * Decides which warnings about an object are recorded as events: each once, not at every reconcile. A warning is recorded
 * again if it was resolved in between, and after a while, because the server deletes old events.
 */
import type { Clock } from '../base/env.ts';
import type { RolloutEvent } from '../rollout/index.ts';

/** After this time a warning is recorded again: servers keep events for an hour. */
export const WARNING_REPEAT_MS = 30 * 60_000;

export class WarningEvents {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** By object: the warnings that were recorded, and when. */
  readonly #recorded = new Map<string, ReadonlyMap<string, number>>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Given all present warnings about an object: those that are to be recorded now. */
  due(object: string, events: readonly RolloutEvent[]): readonly RolloutEvent[] {
    const nowMs = this.#clock.monotonic();
    const before = this.#recorded.get(object);
    const after = new Map<string, number>();
    const due: RolloutEvent[] = [];
    for (const event of events) {
      const text = `${event.reason} ${event.message}`;
      const recordedAtMs = before?.get(text);
      const isDue = recordedAtMs === undefined || nowMs - recordedAtMs >= WARNING_REPEAT_MS;
      if (isDue) due.push(event);
      after.set(text, isDue ? nowMs : recordedAtMs);
    }
    if (after.size === 0) this.#recorded.delete(object);
    else this.#recorded.set(object, after);
    return due;
  }
}
