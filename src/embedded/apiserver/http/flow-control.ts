/**
 * Lets requests in, has them wait in the line of their user, or turns them away.
 *
 *     arrives ──> a free share? ──yes──> seat ──> answered, seat given back ──> next in line
 *                      │no
 *                      └──> room to wait? ──yes──> waits, for so long at most ──> seat, or turned away
 *                                  │no
 *                                  └──> turned away
 *
 * Who gets what is decided in `fair-share.ts`; here it is kept.
 */
import type { Clock } from '../../../base/env.ts';
import { assert } from '../../../base/errors.ts';
import { freeShare, nextInLine, seatsFor } from './fair-share.ts';
import type { FlowLimits, Level } from './flow-limits.ts';

export interface Seat {
  /** The answer is known, and so large. */
  widen(bytes: number): void;
  /** Does nothing the second time. */
  release(): void;
}

type SeatWish = {
  readonly level: Level;
  readonly user: string;
  /** Of the body that is to be read. */
  readonly bytes: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
};

type FlowFigures = {
  readonly seated: number;
  readonly waiting: number;
  readonly streams: number;
  readonly refused: number;
};

export class FlowControl {
  readonly #limits: FlowLimits;
  readonly #rooms: ReadonlyMap<Level, Room>;
  readonly #streams = new Tally();
  #refused = 0;

  constructor({ limits, clock }: { readonly limits: FlowLimits; readonly clock: Clock }) {
    this.#limits = limits;
    const levels: readonly Level[] = ['leader-election', 'system', 'administrators', 'workloads', 'everyone'];
    this.#rooms = new Map(levels.map((level) => [level, new Room(limits, limits.seats[level], clock)]));
  }

  /** Undefined: too many requests. */
  async seat(wish: SeatWish): Promise<Seat | undefined> {
    const room = this.#rooms.get(wish.level);
    assert(room !== undefined, `level ${wish.level} has a room`);
    const seat = await room.enter(wish);
    if (seat === undefined) this.#refused++;
    return seat;
  }

  /** A place for a watch or the like, given back with the call; undefined: too many. */
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

  figures(): FlowFigures {
    const rooms = [...this.#rooms.values()];
    const sum = (count: (room: Room) => number) => rooms.reduce((total, room) => total + count(room), 0);
    return {
      seated: sum(({ seated }) => seated),
      waiting: sum(({ waiting }) => waiting),
      streams: this.#streams.total,
      refused: this.#refused,
    };
  }
}

/** The seats of one level, and who waits for them. */
class Room {
  readonly #limits: FlowLimits;
  readonly #seats: number;
  readonly #clock: Clock;
  readonly #held = new Tally();
  readonly #lines = new Map<string, WaitingLine>();
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

  enter({ user, bytes, signal }: SeatWish): Seat | undefined | Promise<Seat | undefined> {
    const { bytesPerSeat } = this.#limits;
    const width = seatsFor(bytes, { bytesPerSeat, limit: this.#seats });
    if (!this.#lines.has(user) && width <= this.#share(user)) return this.#seat(user, width);
    return this.#mayWait(user) ? this.#wait({ user, width, signal }) : undefined;
  }

  #share(user: string): number {
    return freeShare({ limit: this.#seats, taken: this.#held.total, own: this.#held.of(user) });
  }

  #mayWait(user: string): boolean {
    const { waiting: limit, waitingPerUser } = this.#limits;
    const own = this.#lines.get(user)?.requests.size ?? 0;
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
      this.#callNext();
    };
    const widen = (bytes: number) => {
      if (held === 0) return;
      const { bytesPerSeat } = this.#limits;
      const wanted = seatsFor(bytes, { bytesPerSeat, limit: this.#seats }) - held;
      // What is done is done: it counts as far as it leaves others their share.
      const more = Math.min(Math.max(0, wanted), this.#share(user));
      this.#held.add(user, more);
      held += more;
    };
    return { widen, release };
  }

  #wait({ user, width, signal }: Asked): Promise<Seat | undefined> {
    if (signal?.aborted === true) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const line = this.#lines.get(user) ?? new WaitingLine(this.#served);
      this.#lines.set(user, line);
      const leave = (seat: Seat | undefined) => {
        timer.cancel();
        signal?.removeEventListener('abort', giveUp);
        line.requests.delete(request);
        if (line.requests.size === 0) this.#lines.delete(user);
        this.#waiting--;
        resolve(seat);
      };
      const giveUp = () => {
        leave(undefined);
        // It may have stood before one that needs less.
        this.#callNext();
      };
      const timer = this.#clock.after(this.#limits.waitMs, giveUp);
      const request: WaitingRequest = { width, call: () => leave(this.#seat(user, width)) };
      signal?.addEventListener('abort', giveUp);
      line.requests.add(request);
      this.#waiting++;
    });
  }

  #callNext(): void {
    while (this.#lines.size > 0) {
      const next = nextInLine(this.#waiters(), { limit: this.#seats, taken: this.#held.total });
      if (next === undefined) return;
      next.line.servedAt = this.#served;
      next.request.call();
    }
  }

  *#waiters() {
    for (const [user, line] of this.#lines) {
      const [request] = line.requests;
      assert(request !== undefined, 'a line has somebody in it');
      yield { own: this.#held.of(user), width: request.width, servedAt: line.servedAt, line, request };
    }
  }
}

type Asked = { readonly user: string; readonly width: number; readonly signal: AbortSignal | undefined };
type WaitingRequest = { readonly width: number; readonly call: () => void };

/** Requests of one user, in the order in which they came. */
class WaitingLine {
  readonly requests = new Set<WaitingRequest>();
  servedAt: number;

  constructor(servedAt: number) {
    this.servedAt = servedAt;
  }
}

/** How much each has; who has nothing is forgotten. */
class Tally {
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
