/**
 * Admits, queues or rejects requests.
 *
 *     request ──> free share? ──yes──> seat ──> served, seat released ──> next request
 *                      │no
 *                      └──> room in the queue? ──yes──> waits, with a limit ──> seat, or rejected
 *                                  │no
 *                                  └──> rejected
 *
 * The decisions are in `fair-share.ts`; here is the state.
 */
import type { Clock } from '../../../base/env.ts';
import { assert } from '../../../base/errors.ts';
import { freeShare, nextWaiter, seatsFor } from './fair-share.ts';
import type { FlowLimits, PriorityLevel } from './flow-limits.ts';

export interface Seat {
  /** Accounts for the size of the response. */
  widen(bytes: number): void;
  /** Idempotent. */
  release(): void;
}

type SeatRequest = {
  readonly level: PriorityLevel;
  readonly user: string;
  /** Size of the request body. */
  readonly bytes: number;
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal | undefined;
};

type FlowStatistics = {
  readonly seated: number;
  readonly waiting: number;
  readonly streams: number;
  readonly refused: number;
};

export class FlowControl {
  readonly #limits: FlowLimits;
  readonly #levels: ReadonlyMap<PriorityLevel, LevelSeats>;
  readonly #streams = new Counter();
  #refused = 0;

  constructor({ limits, clock }: { readonly limits: FlowLimits; readonly clock: Clock }) {
    this.#limits = limits;
    const levels: readonly PriorityLevel[] = [
      'leader-election',
      'system',
      'administrators',
      'workloads',
      'everyone',
    ];
    this.#levels = new Map(
      levels.map((level) => [level, new LevelSeats(limits, limits.seats[level], clock)]),
    );
  }

  /** Undefined: too many requests. */
  async seat(request: SeatRequest): Promise<Seat | undefined> {
    const levelSeats = this.#levels.get(request.level);
    assert(levelSeats !== undefined, `level ${request.level} has a levelSeats`);
    const seat = await levelSeats.acquire(request);
    if (seat === undefined) this.#refused++;
    return seat;
  }

  /** Counts a watch or another stream until the returned function is called; undefined: too many. */
  stream(user: string): (() => void) | undefined {
    const { streams: limit } = this.#limits;
    const share = freeShare({ limit, taken: this.#streams.total, own: this.#streams.of(user) });
    if (share < 1) {
      this.#refused++;
      return undefined;
    }
    this.#streams.add(user, 1);
    return once(() => this.#streams.add(user, -1));
  }

  statistics(): FlowStatistics {
    const rooms = [...this.#levels.values()];
    const sum = (count: (levelSeats: LevelSeats) => number) =>
      rooms.reduce((total, levelSeats) => total + count(levelSeats), 0);
    return {
      seated: sum(({ seated }) => seated),
      waiting: sum(({ waiting }) => waiting),
      streams: this.#streams.total,
      refused: this.#refused,
    };
  }
}

/** The seats and queues of one priority level. */
class LevelSeats {
  readonly #limits: FlowLimits;
  readonly #seats: number;
  readonly #clock: Clock;
  readonly #held = new Counter();
  readonly #queues = new Map<string, FlowQueue>();
  #waiting = 0;
  #served = 0;

  constructor(limits: FlowLimits, seats: number, clock: Clock) {
    this.#limits = limits;
    this.#seats = seats;
    this.#clock = clock;
  }

  get seated(): number {
    return this.#held.total;
  }

  get waiting(): number {
    return this.#waiting;
  }

  acquire({ user, bytes, signal }: SeatRequest): Seat | undefined | Promise<Seat | undefined> {
    const { bytesPerSeat } = this.#limits;
    const width = seatsFor(bytes, { bytesPerSeat, limit: this.#seats });
    if (!this.#queues.has(user) && width <= this.#share(user)) return this.#seat(user, width);
    return this.#mayQueue(user) ? this.#enqueue({ user, width, signal }) : undefined;
  }

  #share(user: string): number {
    return freeShare({ limit: this.#seats, taken: this.#held.total, own: this.#held.of(user) });
  }

  #mayQueue(user: string): boolean {
    const { waiting: limit, waitingPerUser } = this.#limits;
    const own = this.#queues.get(user)?.requests.size ?? 0;
    return own < waitingPerUser && freeShare({ limit, taken: this.#waiting, own }) > 0;
  }

  #seat(user: string, width: number): Seat {
    let held = width;
    this.#held.add(user, width);
    this.#served++;
    const release = () => {
      const given = held;
      held = 0;
      if (given === 0) return;
      this.#held.add(user, -given);
      this.#dispatchNext();
    };
    const widen = (bytes: number) => {
      if (held === 0) return;
      const { bytesPerSeat } = this.#limits;
      const wanted = seatsFor(bytes, { bytesPerSeat, limit: this.#seats }) - held;
      // The response exists already: it counts as far as it leaves others their share.
      const more = Math.min(Math.max(0, wanted), this.#share(user));
      this.#held.add(user, more);
      held += more;
    };
    return { widen, release };
  }

  #enqueue({ user, width, signal }: QueuedSeat): Promise<Seat | undefined> {
    if (signal?.aborted === true) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const queue = this.#queues.get(user) ?? new FlowQueue(this.#served);
      this.#queues.set(user, queue);
      const leave = (seat: Seat | undefined) => {
        timer.cancel();
        signal?.removeEventListener('abort', abandon);
        queue.requests.delete(request);
        if (queue.requests.size === 0) this.#queues.delete(user);
        this.#waiting--;
        resolve(seat);
      };
      const abandon = () => {
        leave(undefined);
        // It may have blocked a request that needs fewer seats.
        this.#dispatchNext();
      };
      const timer = this.#clock.after(this.#limits.waitMs, abandon);
      const request: WaitingRequest = { width, call: () => leave(this.#seat(user, width)) };
      signal?.addEventListener('abort', abandon);
      queue.requests.add(request);
      this.#waiting++;
    });
  }

  #dispatchNext(): void {
    while (this.#queues.size > 0) {
      const next = nextWaiter(this.#waiters(), { limit: this.#seats, taken: this.#held.total });
      if (next === undefined) return;
      next.queue.servedAt = this.#served;
      next.request.call();
    }
  }

  *#waiters() {
    for (const [user, queue] of this.#queues) {
      const [request] = queue.requests;
      assert(request !== undefined, 'queues are not empty');
      yield { own: this.#held.of(user), width: request.width, servedAt: queue.servedAt, queue, request };
    }
  }
}

type QueuedSeat = { readonly user: string; readonly width: number; readonly signal: AbortSignal | undefined };
type WaitingRequest = { readonly width: number; readonly call: () => void };

/** The queued requests of one user, first in, first out. */
class FlowQueue {
  readonly requests = new Set<WaitingRequest>();
  servedAt: number;

  constructor(servedAt: number) {
    this.servedAt = servedAt;
  }
}

/** Counts by name; zero counts are removed. */
class Counter {
  readonly #counts = new Map<string, number>();
  total = 0;

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string, more: number): void {
    const count = this.of(name) + more;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
    this.total += more;
  }
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}
