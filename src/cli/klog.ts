/**
 * Logs in klog format: `I1115 14:50:01.123456       1 controller.go:1] message key=value`. Runbooks search for it.
 *
 * There is no Go file, so the component takes its place. Debug messages are dropped.
 */
import type { Clock, Log, LogFields } from '../base/env.ts';
import { printable } from '../base/text/index.ts';
import { formatFields } from './line-log.ts';

type KlogOptions = {
  readonly write: (text: string) => void;
  readonly clock: Pick<Clock, 'now'>;
  readonly pid: number;
  /** Printed in place of the Go source file. */
  readonly component: string;
};

export function createKlog({ write, clock, pid, component }: KlogOptions): Log {
  const line =
    (severity: 'I' | 'W' | 'E') =>
    (message: string, fields: LogFields = {}) => {
      const header = `${severity}${timeText(clock.now())} ${String(pid).padStart(7)} ${component}:1] `;
      write(`${header}${printable(message)}${formatFields(fields)}\n`);
    };
  return { error: line('E'), warn: line('W'), info: line('I'), debug: () => undefined };
}

/** Month, day and time with microseconds, of which the clock provides milliseconds. */
function timeText(now: number): string {
  const text = new Date(now).toISOString();
  return `${text.slice(5, 7)}${text.slice(8, 10)} ${text.slice(11, 23)}000`;
}
