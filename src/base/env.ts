/**
 * The environment of every long-running component: clock, randomness, log and cancellation.
 *
 * The real implementations are here; tests in virtual time bring their own. Nothing else may read the machine's clock.
 */
import { randomBytes, randomUUID } from 'node:crypto';

export type Env = {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Aborted when the process is to stop. */
  readonly signal: AbortSignal;
};

export interface Clock {
  /** Milliseconds since 1970. May jump. */
  now(): number;
  /** Monotonic milliseconds since an arbitrary point. */
  monotonic(): number;
  /** Calls once, after the delay, unless cancelled. */
  after(delayMs: number, call: () => void): Timer;
  /** Lets other work of the process go on: between the pieces of a computation that would block it. */
  pause(): Promise<void>;
}

export interface Timer {
  cancel(): void;
}

export interface Random {
  /** At least 0 and below 1. */
  next(): number;
  uuid(): string;
}

export type LogFields = { readonly [name: string]: string | number | boolean | undefined };

/** A constant message and its fields. Never a secret. */
export interface Log {
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, call) {
    const timer = setTimeout(call, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
  pause: () => new Promise((resolve) => setImmediate(resolve)),
};

export const systemRandom: Random = {
  next: () => randomBytes(6).readUIntBE(0, 6) / 2 ** 48,
  uuid: () => randomUUID(),
};

export const silentLog: Log = { error: noop, warn: noop, info: noop, debug: noop };

function noop(): void {}
