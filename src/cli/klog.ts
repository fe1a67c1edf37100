/**
 * The log of a component in a pod, in the form that people know from Kubernetes' own:
 * `I1115 14:50:01.123456       1 controller.go:1] message key=value`. Runbooks search logs of that form.
 *
 * There is no Go file to name: what stands in its place is the component. Details for debugging are left out.
 */
import type { Clock, Log, LogFields } from '../base/env.ts';
import { printable } from '../base/text/index.ts';
import { formatFields } from './line-log.ts';

type KlogOptions = {
  readonly write: (text: string) => void;
  readonly clock: Pick<Clock, 'now'>;
  readonly pid: number;
  /** Stands where Go has the name of the file. */
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

/** Month and day, then the time of day to the microsecond, of which the clock knows the first three digits. */
function timeText(now: number): string {
  const text = new Date(now).toISOString();
  return `${text.slice(5, 7)}${text.slice(8, 10)} ${text.slice(11, 23)}000`;
}
