/**
 * Logs in klog format: `I1115 14:50:01.123456       1 controller.go:1] message key=value`. Runbooks search for it.
 *
 * There is no Go file, so the component takes its place. Debug messages are dropped.
 */
import type { Clock, Log, LogFields } from '../base/env.ts';
import { printable } from '../base/text/index.ts';

type KlogOptions = {
  readonly write: (text: string) => void;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly pid: number;
  /** Printed in place of the Go source file. */
  readonly component: string;
};

export function createKlog({ write, clock, pid, component }: KlogOptions): Log {
  const now = preciseNow(clock);
  const line =
    (severity: 'I' | 'W' | 'E') =>
    (message: string, fields: LogFields = {}) => {
      const header = `${severity}${timeText(now())} ${String(pid).padStart(7)} ${component}:1] `;
      write(`${header}${printable(message)}${formatFields(fields)}\n`);
    };
  return { error: line('E'), warn: line('W'), info: line('I'), debug: () => undefined };
}

/**
 * The time with a fraction of milliseconds. The clock has whole ones; what passes since is taken from the monotonic clock, as
 * long as both agree on the millisecond.
 */
function preciseNow(clock: KlogOptions['clock']): () => number {
  let aheadMs = Number.NaN;
  return () => {
    const [wallMs, monotonicMs] = [Math.floor(clock.now()), clock.monotonic()];
    const passedMs = aheadMs + monotonicMs - wallMs;
    if (passedMs >= 0 && passedMs < 1) return wallMs + passedMs;
    aheadMs = wallMs - monotonicMs;
    return wallMs;
  };
}

/** Month, day and time with microseconds. */
function timeText(now: number): string {
  const wholeMs = Math.floor(now);
  const micros = Math.min(999, Math.round((now - wholeMs) * 1000));
  const text = new Date(wholeMs).toISOString();
  return `${text.slice(5, 7)}${text.slice(8, 10)} ${text.slice(11, 23)}${String(micros).padStart(3, '0')}`;
}

/** ` key=value` for each defined field. */
export function formatFields(fields: LogFields): string {
  return Object.entries(fields)
    .map(([key, value]) => (value === undefined ? '' : ` ${key}=${valueText(String(value))}`))
    .join('');
}

/** Quoted unless it is a single word. */
function valueText(value: string): string {
  const isWord = /^[^\s"=]+$/.test(value);
  return printable(isWord ? value : JSON.stringify(value));
}
