/**
 * A clock that only advances on request, so that hours pass in milliseconds and deterministically.
 *
 * Timers fire in the order of their times, and those of the same time in the order of their creation. After each
 * timer everything that it triggered without further timers completes before the next one fires.
 */
import type { Clock, Timer } from '../base/env.ts';
import { assert } from '../base/errors.ts';
import { microtasksDone } from './event-loop-node.ts';

/** 2026-01-01T00:00:00Z */
const START_MS = 1_767_225_600_000;
/** The limit of timers at one time: more means an endless loop of zero delays. */
const MAX_TIMERS_PER_MOMENT = 100_000;

type Entry = { readonly at: number; readonly order: number; readonly call: () => void; isCancelled: boolean };

export class VirtualClock implements Clock {
  readonly #heap: Entry[] = [];
  #elapsedMs = 0;
  #wallMs: number;
  #order = 0;
  #pending = 0;

  constructor({ startMs = START_MS }: { readonly startMs?: number } = {}) {
    this.#wallMs = startMs;
  }

  now(): number {
    return this.#wallMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, call: () => void): Timer {
    assert(!Number.isNaN(delayMs), 'a delay is a number');
    // Whole milliseconds: with fractions, what is left of a wait may be too short to move the clock at all.
    const at = this.#elapsedMs + Math.ceil(Math.max(0, delayMs));
    const entry: Entry = { at, order: this.#order++, call, isCancelled: false };
    this.#push(entry);
    this.#pending += 1;
    return {
      cancel: () => {
        if (entry.isCancelled) return;
        entry.isCancelled = true;
        this.#pending -= 1;
      },
    };
  }

  async pause(): Promise<void> {}

  /** The number of pending timers. */
  get pending(): number {
    return this.#pending;
  }

  /** The time of the next timer; undefined without one. */
  nextInMs(): number | undefined {
    const next = this.#peek();
    return next === undefined ? undefined : next.at - this.#elapsedMs;
  }

  /** Runs everything that is pending without a timer: promises and their continuations. */
  async settle(): Promise<void> {
    await microtasksDone();
  }

  /** Advances by this much, and fires the timers on the way. */
  async advance(ms: number): Promise<void> {
    const until = this.#elapsedMs + Math.ceil(ms);
    await this.settle();
    for (let next = this.#peek(); next !== undefined && next.at <= until; next = this.#peek()) {
      await this.#fire(next);
    }
    this.#moveTo(until);
  }

  /**
   * Advances from timer to timer until the condition is true. Throws if it is not within the limit, or if no timers
   * are left.
   */
  async advanceUntil(condition: () => boolean, limitMs: number): Promise<void> {
    const until = this.#elapsedMs + limitMs;
    await this.settle();
    while (!condition()) {
      const next = this.#peek();
      if (next === undefined || next.at > until) {
        throw new Error(`what was waited for did not come about within ${limitMs} ms`);
      }
      await this.#fire(next);
    }
  }

  /** Awaits the promise, advancing as needed. */
  async resolved<T>(promise: Promise<T>, limitMs: number): Promise<T> {
    let isSettled = false;
    const settled = () => {
      isSettled = true;
    };
    promise.then(settled, settled);
    await this.advanceUntil(() => isSettled, limitMs);
    return await promise;
  }

  /** Sets the wall clock; no time passes. */
  jump(ms: number): void {
    this.#wallMs += ms;
  }

  /**
   * The process is stopped for a while: both clocks go on and no timer fires. Then all that are late fire one after the
   * other, before anything that they trigger goes on: Node.js runs timers before I/O.
   */
  async stall(ms: number): Promise<void> {
    await this.settle();
    const until = this.#elapsedMs + ms;
    this.#moveTo(until);
    for (let next = this.#peek(); next !== undefined && next.at <= until; next = this.#peek())
      this.#call(next);
    await this.settle();
  }

  #momentAt = 0;
  #firedInMoment = 0;

  async #fire(entry: Entry): Promise<void> {
    this.#moveTo(entry.at);
    this.#call(entry);
    await this.settle();
  }

  /** The first of the heap. */
  #call(entry: Entry): void {
    this.#pop();
    this.#countFired();
    // Cancelling a timer that has fired has no effect.
    entry.isCancelled = true;
    this.#pending -= 1;
    entry.call();
  }

  #countFired(): void {
    if (this.#momentAt !== this.#elapsedMs) this.#firedInMoment = 0;
    this.#momentAt = this.#elapsedMs;
    this.#firedInMoment += 1;
    assert(
      this.#firedInMoment < MAX_TIMERS_PER_MOMENT,
      'the clock gets on: no timer is set for no time forever',
    );
  }

  #moveTo(at: number): void {
    this.#wallMs += at - this.#elapsedMs;
    this.#elapsedMs = at;
  }

  /** The next that was not cancelled. */
  #peek(): Entry | undefined {
    while (this.#heap[0]?.isCancelled === true) this.#pop();
    return this.#heap[0];
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = heap[parentAt];
      if (parent === undefined || !isBefore(entry, parent)) break;
      heap[at] = parent;
      at = parentAt;
    }
    heap[at] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      const left = heap[2 * at + 1];
      const right = heap[2 * at + 2];
      const isRight = left !== undefined && right !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (child === undefined || !isBefore(child, last)) break;
      heap[at] = child;
      at = 2 * at + (isRight ? 2 : 1);
    }
    heap[at] = last;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.at === b.at ? a.order < b.order : a.at < b.at;
}
