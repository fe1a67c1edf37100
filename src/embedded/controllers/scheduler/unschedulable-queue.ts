/**
 * Pods that fitted nowhere, and when each may be tried again.
 */
import type { Clock } from '../../../base/env.ts';
import { after, done, type Enqueue, type Next } from '../../../kubernetes/client/index.ts';
import type { NodeSettings } from '../node-settings.ts';
import type { PodInfo } from './pod-info.ts';
import type { SchedulerCache } from './scheduler-cache.ts';

type UnschedulableQueueOptions = {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly settings: Pick<NodeSettings, 'scheduleRetryMs' | 'scheduleRetryLimitMs'>;
  readonly cache: SchedulerCache;
};

type Tried = { readonly uid: string | undefined; readonly attempts: number; readonly atMs: number };

type Attempt = {
  /** Waits for something to change. */
  readonly park: () => Next;
  /** Something has changed already. */
  readonly again: () => Next;
};

export class UnschedulableQueue {
  readonly #options: UnschedulableQueueOptions;
  /** How often a pod was tried, and when last. */
  readonly #tried = new Map<string, Tried>();
  /** Pods that wait for something to change, by what may help them. */
  readonly #waitingForGain = new Set<string>();
  readonly #waitingForChange = new Set<string>();
  #gains = 0;
  #changes = 0;

  constructor(options: UnschedulableQueueOptions) {
    this.#options = options;
  }

  /** A pod was tried in vain. What changes from now on, before it is queue, counts as well. */
  attempt({ key, uid, affinity }: PodInfo): Attempt {
    const { clock, cache } = this.#options;
    const before = this.#tried.get(key);
    const attempts = before !== undefined && before.uid === uid ? before.attempts + 1 : 1;
    this.#tried.set(key, { uid, attempts, atMs: clock.monotonic() });
    const waiting = affinity.length > 0 ? this.#waitingForChange : this.#waitingForGain;
    const version = (): number => (affinity.length > 0 ? cache.changes : cache.gains);
    const seen = version();
    const again = (): Next => after(this.#delayMs(key), 'something has changed since');
    return {
      again,
      park: () => {
        if (version() !== seen) return again();
        waiting.add(key);
        return done;
      },
    };
  }

  /** Looks again at those pods that may be helped by what has changed, each no earlier than it may. */
  wake(enqueue: Enqueue): void {
    const { gains, changes } = this.#options.cache;
    if (gains !== this.#gains) this.#wakeAll(this.#waitingForGain, enqueue);
    if (changes !== this.#changes) this.#wakeAll(this.#waitingForChange, enqueue);
    this.#gains = gains;
    this.#changes = changes;
  }

  /** The pod is gone, or is on a node. */
  forget(key: string): void {
    this.#tried.delete(key);
    this.#waitingForGain.delete(key);
    this.#waitingForChange.delete(key);
  }

  #wakeAll(waiting: Set<string>, enqueue: Enqueue): void {
    for (const key of waiting) enqueue(key, this.#delayMs(key));
    waiting.clear();
  }

  #delayMs(key: string): number {
    const { clock, settings } = this.#options;
    const tried = this.#tried.get(key);
    if (tried === undefined) return 0;
    const delayMs = settings.scheduleRetryMs * 2 ** Math.min(tried.attempts - 1, MAX_DOUBLINGS);
    return Math.max(0, tried.atMs + Math.min(delayMs, settings.scheduleRetryLimitMs) - clock.monotonic());
  }
}

/** Beyond every limit of a delay, and within what numbers can hold. */
const MAX_DOUBLINGS = 20;
