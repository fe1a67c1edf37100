/**
 * The queue of unschedulable pods, with backoff per pod.
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

type Tried = {
  readonly uid: string | undefined;
  readonly attempts: number;
  readonly atMs: number;
  /** The version of the cluster that was tried. */
  readonly version: number;
};

type Attempt = {
  /** Waits for a relevant change. */
  readonly park: () => Next;
  /** Retries with backoff, since something has changed already. */
  readonly again: () => Next;
};

export class UnschedulableQueue {
  readonly #options: UnschedulableQueueOptions;
  /** Attempts per pod. */
  readonly #tried = new Map<string, Tried>();
  /** Waiting pods, by the kind of change that may help them. */
  readonly #waitingForGain = new Set<string>();
  readonly #waitingForChange = new Set<string>();
  #gains = 0;
  #changes = 0;

  constructor(options: UnschedulableQueueOptions) {
    this.#options = options;
  }

  /**
   * Records a failed attempt. Changes from now on count, even before `park`. Without a change since the last one it is none.
   */
  attempt({ key, uid, affinity }: PodInfo): Attempt {
    const { clock, cache } = this.#options;
    const waiting = affinity.length > 0 ? this.#waitingForChange : this.#waitingForGain;
    const version = (): number => (affinity.length > 0 ? cache.changes : cache.gains);
    const seen = version();
    const last = this.#tried.get(key);
    const before = last !== undefined && last.uid === uid ? last : undefined;
    if (before?.version !== seen) {
      const attempts = (before?.attempts ?? 0) + 1;
      this.#tried.set(key, { uid, attempts, atMs: clock.monotonic(), version: seen });
    }
    const again = (): Next => after(this.#delayMs(key), 'the cluster has changed since');
    return {
      again,
      park: () => {
        if (version() !== seen) return again();
        waiting.add(key);
        return done;
      },
    };
  }

  /** Moves pods that may fit now back to the active queue, after their backoff. */
  wake(enqueue: Enqueue): void {
    const { gains, changes } = this.#options.cache;
    if (gains !== this.#gains) this.#wakeAll(this.#waitingForGain, enqueue);
    if (changes !== this.#changes) this.#wakeAll(this.#waitingForChange, enqueue);
    this.#gains = gains;
    this.#changes = changes;
  }

  /** The pod is deleted or bound. */
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

/** Avoids overflow; the limit applies long before. */
const MAX_DOUBLINGS = 20;
