/**
 * The log as lines for people: `level message key=value`. Details that only help with debugging are left out.
 */
import type { Log, LogFields } from '../base/env.ts';
import { printable } from '../base/text/index.ts';

export function createLineLog(write: (text: string) => void): Log {
  const line =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      write(`${level} ${message}${formatFields(fields)}\n`);
  return { error: line('error'), warn: line('warn'), info: line('info'), debug: () => undefined };
}

/** ` key=value` for each field that is there. */
export function formatFields(fields: LogFields): string {
  return Object.entries(fields)
    .map(([key, value]) => (value === undefined ? '' : ` ${key}=${valueText(String(value))}`))
    .join('');
}

/** As it is where that is one word, else quoted. */
function valueText(value: string): string {
  const isWord = /^[^\s"=]+$/.test(value);
  return printable(isWord ? value : JSON.stringify(value));
}
