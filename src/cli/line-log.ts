/**
 * Logs as plain lines: `level message key=value`. Debug messages are dropped.
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
