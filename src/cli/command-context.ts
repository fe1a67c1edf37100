/**
 * What the definitions of commands share: what they are given, and how words of the command line are read.
 */
import { InvalidArgumentError } from 'commander';
import type { Ports } from './ports.ts';

/** What every command is defined with. */
export type Context = {
  readonly ports: Ports;
  readonly version: string;
  /** The exit code of the command that ran. */
  readonly exit: (code: number) => void;
};

/** For options that may be repeated. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

export function parseBool(text: string): 'true' | 'false' {
  if (text === 'true' || text === 'false') return text;
  throw new InvalidArgumentError('Say true or false.');
}

export function parsePid(text: string): number {
  const pid = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(pid)) throw new InvalidArgumentError('Give the number of a process.');
  return pid;
}

const MAX_PORT = 65_535;

export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= MAX_PORT)) throw new InvalidArgumentError(`Give a number from 0 to ${MAX_PORT}.`);
  return port;
}

export function parseFolder(text: string): string {
  if (text === '') throw new InvalidArgumentError('Name a folder.');
  return text;
}
