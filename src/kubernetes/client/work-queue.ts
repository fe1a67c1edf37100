/**
 * The work queue of a controller: each key is processed once, however often it was added, at the earliest of the times
 * that were given, by one worker at a time.
 *
 *              add                 due                worker free
 *     (idle) ──────> waiting ──────────────> ready ─────────────────> running
 *                       ^                                             │  │
 *                       └── added meanwhile; `after`; failed ─────────┘  └── done ──> (idle)
 *
 * A key that fails is retried with backoff, which grows until the key is done, also over waits in the middle of its work; adding it brings the retry forward, but not without limit: the key may be
 * added because of its own failure, such as a status that is written. A key that is stalled is not retried until it is
 * added; a slow recheck covers changes that no cache shows.
 */
import type { Env, Timer } from '../../base/env.ts';
import { assert, Failure } from '../../base/errors.ts';
import { type Backoff, delayAfter, MAX_WAIT_MS } from '../../base/waiting.ts';
import type { Next } from './kube.ts';
import { KubeError } from './kube-error.ts';

type WorkQueueOptions = {
  readonly env: Pick<Env, 'clock' | 'random'>;
  readonly workers: number;
  readonly retry: Backoff;
  readonly work: (key: string) => Promise<Next>;
  /** Called before the delay begins. If it throws, the queue crashes, see `crashed`. */
  readonly onFailure: (failure: WorkFailure) => void;
  readonly measures?: QueueMeasures;
};

/** What is measured of a queue. */
export type QueueMeasures = {
  readonly onDue: () => void;
  readonly onStart: (waitedMs: number) => void;
  readonly onEnd: (tookMs: number) => void;
};

export type WorkFailure = {
  readonly key: string;
  /** The first is 1. */
  readonly attempt: number;
  readonly delayMs: number;
  /** Not retried before the key is added again, or `delayMs` have passed. */
  readonly isStalled: boolean;
  readonly error: unknown;
};

/** A failing key is retried no more often than this, however often it is added. */
const MIN_RETRY_MS = 1_000;
/** The upper limit of the server's `Retry-After`. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;
/** What a stalled key waits for may be something that no controller watches, such as an admission webhook. */
const STALLED_RECHECK_MS = 5 * 60_000;

type Entry = {
  isReady: boolean;
  /** When it became ready, and then when it began to run. */
  sinceMs: number;
  isRunning: boolean;
  /** Added while it was running: due again no later than this. */
  againAt: number | undefined;
  dueAt: number | undefined;
  timer: Timer | undefined;
  failures: number;
  /** After a failure: not retried before this. */
  notBefore: number;
};

export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #entries = new Map<string, Entry>();
  /** In the order in which they became due. */
  readonly #ready = new Set<string>();
  readonly #running = new Set<string>();
  #state: 'new' | 'started' | 'stopped' = 'new';
  #isDispatchDue: boolean = false;
  #onIdle = nothing;
  readonly #idle: Promise<void>;
  /** Rejects with what `onFailure` throws. Never resolves. */
  readonly crashed: Promise<never>;
  #crash: (error: unknown) => void = nothing;

  constructor(options: WorkQueueOptions) {
    assert(options.workers > 0, 'a queue has workers');
    this.#options = options;
    this.#idle = new Promise((resolve) => {
      this.#onIdle = resolve;
    });
    this.crashed = new Promise<never>((_, reject) => {
      this.#crash = reject;
    });
    this.crashed.catch(nothing);
  }

  /** The key is due after the delay, or earlier. Nothing is processed before `start`. */
  add(key: string, delayMs = 0): void {
    if (this.#state === 'stopped') return;
    const at = this.#timeAfter(delayMs);
    const entry = this.#entries.get(key) ?? newEntry();
    this.#entries.set(key, entry);
    if (entry.isRunning) entry.againAt = Math.min(at, entry.againAt ?? at);
    else this.#schedule(key, entry, at);
  }

  start(): void {
    if (this.#state === 'new') this.#state = 'started';
    this.#dispatchSoon();
  }

  /** Starts no further work. Resolves once running work has ended. */
  stop(): Promise<void> {
    this.#state = 'stopped';
    for (const entry of this.#entries.values()) entry.timer?.cancel();
    this.#ready.clear();
    if (this.#running.size === 0) this.#onIdle();
    return this.#idle;
  }

  /** The number of keys that are waiting or running. */
  get size(): number {
    return this.#entries.size;
  }

  /** The keys that are being processed. */
  running(): readonly string[] {
    return [...this.#running];
  }

  /** The number of keys that are due and wait for a worker. */
  get depth(): number {
    return this.#ready.size;
  }

  /** For how long the oldest of the running keys has been processed; 0 where none is. */
  longestMs(): number {
    const nowMs = this.#options.env.clock.monotonic();
    const ages = [...this.#running].map((key) => nowMs - (this.#entries.get(key)?.sinceMs ?? nowMs));
    return Math.max(0, ...ages);
  }

  #schedule(key: string, entry: Entry, at: number): void {
    if (entry.isReady) return;
    const dueAt = Math.max(at, entry.notBefore);
    if (entry.dueAt !== undefined && entry.dueAt <= dueAt) return;
    entry.timer?.cancel();
    const delayMs = dueAt - this.#options.env.clock.monotonic();
    if (delayMs <= 0) {
      this.#markReady(key, entry);
      return;
    }
    entry.dueAt = dueAt;
    entry.timer = this.#options.env.clock.after(delayMs, () => this.#markReady(key, entry));
  }

  #markReady(key: string, entry: Entry): void {
    entry.timer = undefined;
    entry.dueAt = undefined;
    entry.isReady = true;
    entry.sinceMs = this.#options.env.clock.monotonic();
    this.#ready.add(key);
    this.#options.measures?.onDue();
    this.#dispatchSoon();
  }

  /** Not at once: changes arrive in groups, and a worker should see the whole group. */
  #dispatchSoon(): void {
    if (this.#isDispatchDue) return;
    this.#isDispatchDue = true;
    Promise.resolve()
      .then(() => this.#dispatch())
      .catch(this.#crash);
  }

  #dispatch(): void {
    this.#isDispatchDue = false;
    if (this.#state !== 'started') return;
    for (const key of this.#ready) {
      if (this.#running.size >= this.#options.workers) return;
      this.#ready.delete(key);
      this.#run(key).catch(this.#crash);
    }
  }

  async #run(key: string): Promise<void> {
    const entry = this.#entries.get(key);
    assert(entry !== undefined && !entry.isRunning, 'a key is processed by one worker at a time');
    const { measures, env } = this.#options;
    const beganMs = env.clock.monotonic();
    measures?.onStart(beganMs - entry.sinceMs);
    entry.sinceMs = beganMs;
    entry.isReady = false;
    entry.isRunning = true;
    this.#running.add(key);
    try {
      this.#succeeded(entry, await this.#options.work(key));
    } catch (error) {
      this.#failed(key, entry, error);
    } finally {
      measures?.onEnd(env.clock.monotonic() - beganMs);
      entry.isRunning = false;
      this.#running.delete(key);
      this.#settle(key, entry);
    }
  }

  #succeeded(entry: Entry, next: Next): void {
    if (next.kind !== 'after' || next.isUnderWay !== true) entry.failures = 0;
    entry.notBefore = 0;
    if (next.kind === 'after') this.#again(entry, next.delayMs);
  }

  #failed(key: string, entry: Entry, error: unknown): void {
    const { env, retry, onFailure } = this.#options;
    const isStalled = isStalledFailure(error);
    const backoffMs = delayAfter(retry, entry.failures, env.random);
    const delayMs = isStalled ? STALLED_RECHECK_MS : Math.max(backoffMs, retryAfterMs(error));
    entry.failures += 1;
    entry.notBefore = env.clock.monotonic() + Math.min(delayMs, MIN_RETRY_MS);
    this.#again(entry, delayMs);
    onFailure({ key, attempt: entry.failures, delayMs, isStalled, error });
  }

  #again(entry: Entry, delayMs: number): void {
    const at = this.#timeAfter(delayMs);
    entry.againAt = Math.min(at, entry.againAt ?? at);
  }

  #timeAfter(delayMs: number): number {
    assert(!Number.isNaN(delayMs), 'a delay is a number');
    return this.#options.env.clock.monotonic() + Math.min(Math.max(0, delayMs), MAX_WAIT_MS);
  }

  #settle(key: string, entry: Entry): void {
    const { againAt } = entry;
    entry.againAt = undefined;
    if (this.#state === 'stopped') {
      if (this.#running.size === 0) this.#onIdle();
      return;
    }
    if (againAt === undefined) this.#entries.delete(key);
    else this.#schedule(key, entry, againAt);
    this.#dispatchSoon();
  }
}

function newEntry(): Entry {
  return {
    isReady: false,
    sinceMs: 0,
    isRunning: false,
    againAt: undefined,
    dueAt: undefined,
    timer: undefined,
    failures: 0,
    notBefore: 0,
  };
}

/**
 * Refusals that a change may resolve which does not enqueue the key: of credentials, roles, quotas and namespaces, or of a
 * cache that does not show an existing object yet. They are retried with backoff.
 */
const RETRIED_CODES: ReadonlySet<number> = new Set([401, 403, 404, 409]);

function isStalledFailure(error: unknown): boolean {
  if (error instanceof KubeError && RETRIED_CODES.has(error.code)) return false;
  return error instanceof Failure && error.kind === 'stalled';
}

function retryAfterMs(error: unknown): number {
  return error instanceof KubeError ? Math.min(error.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS) : 0;
}

function nothing(): void {}
