/**
 * The disk and the commands of a real machine. Only for `cli`.
 *
 * A daemon in a container has the machine's root as a mount; its commands run within that root (`chroot`) or in
 * the namespaces of the machine's first process (`nsenter`).
 */
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { constants } from 'node:os';
import { env as ownEnv } from 'node:process';
import { Failure } from '../../base/errors.ts';
import {
  type CommandResult,
  type CommandRunner,
  NO_SUCH_COMMAND,
  type RunOptions,
} from './command-runner.ts';
import type { Disk } from './disk.ts';
import { createRealDisk } from './real-disk.ts';

/** The disk below a root: `/`, or where the machine's root is mounted. */
export function createLinuxDisk(root: string): Disk {
  return createRealDisk({ platform: fs, root });
}

export type Entrance =
  | { readonly kind: 'here' }
  | { readonly kind: 'chroot'; readonly root: string }
  /** Of this process. Needs the machine's PID namespace and its /proc. */
  | { readonly kind: 'nsenter'; readonly processId: number };

type RunnerOptions = {
  readonly entrance: Entrance;
  /** Kills running commands. */
  readonly signal?: AbortSignal;
  /** The limit of stdout and of stderr each; only the end is kept. */
  readonly maxOutputBytes?: number;
  /** The search path of programs. */
  readonly path?: string;
};

const MAX_OUTPUT_BYTES = 4 * 1024 ** 2;
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Added to the signal number in the exit code of a killed program, as in shells. */
const SIGNAL_EXIT = 128;

export function createCommandRunner(options: RunnerOptions): CommandRunner {
  return { run: (command, args, run = {}) => runCommand(options, { command, args, run }) };
}

type Run = { readonly command: string; readonly args: readonly string[]; readonly run: RunOptions };

function runCommand(options: RunnerOptions, { command, args, run }: Run): Promise<CommandResult> {
  const { entrance, maxOutputBytes = MAX_OUTPUT_BYTES, path = PATH } = options;
  const signals = [options.signal, run.signal].filter((signal) => signal !== undefined);
  const [program, ...rest] = enter(entrance, [command, ...args]);
  const keep = ['LANG', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];
  const kept = Object.fromEntries(
    keep.flatMap((name) => (ownEnv[name] === undefined ? [] : [[name, ownEnv[name]]])),
  );
  return new Promise((resolve, reject) => {
    const child = started(command, () =>
      spawn(program ?? command, rest, {
        env: { ...kept, PATH: path, ...run.env },
        stdio: ['pipe', 'pipe', 'pipe'],
        ...(signals.length === 0 ? {} : { signal: AbortSignal.any(signals) }),
      }),
    );
    child.on('error', (error) => {
      if (codeOf(error) !== 'ENOENT') return reject(startFailure(command, error));
      const text = `exec: "${command}": executable file not found in $PATH\n`;
      return resolve({ stdout: '', stderr: text, exitCode: NO_SUCH_COMMAND });
    });
    // A program that did not start has no outputs; an error event follows.
    if (child.pid === undefined) return;
    const stdout = tailOf(child.stdout, maxOutputBytes);
    const stderr = tailOf(child.stderr, maxOutputBytes);
    child.on('close', (code, ended) => {
      const exitCode = code ?? SIGNAL_EXIT + (ended === null ? 0 : constants.signals[ended]);
      resolve({ stdout: stdout(), stderr: stderr(), exitCode });
    });
    // A program may close its input without reading it.
    child.stdin.on('error', () => undefined);
    child.stdin.end(run.input ?? '');
  });
}

function started<T>(command: string, start: () => T): T {
  try {
    return start();
  } catch (error) {
    throw startFailure(command, error);
  }
}

/** Without the arguments, which may be secret, and without the error, which contains them. */
function startFailure(command: string, error: unknown): Failure {
  const code = codeOf(error);
  if (code === 'ABORT_ERR') return new Failure('cancelled', 'Stopped', `${command} was stopped`);
  const why = START_ERRORS[code] ?? code;
  return new Failure('transient', 'CommandNotStarted', `cannot run ${command}: ${why}`);
}

const START_ERRORS: Readonly<Record<string, string>> = {
  E2BIG: 'argument list too long',
  EACCES: 'permission denied',
  EAGAIN: 'resource temporarily unavailable',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files in system',
  ENOMEM: 'cannot allocate memory',
  ERR_INVALID_ARG_VALUE: 'its arguments hold a zero byte',
};

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

function enter(entrance: Entrance, command: readonly string[]): readonly string[] {
  switch (entrance.kind) {
    case 'here':
      return command;
    case 'chroot':
      return ['chroot', entrance.root, ...command];
    case 'nsenter':
      return [
        'nsenter',
        '--target',
        String(entrance.processId),
        '--mount',
        '--uts',
        '--ipc',
        '--net',
        '--pid',
        '--',
        ...command,
      ];
  }
}

/** Keeps the last bytes of a stream. */
function tailOf(stream: NodeJS.ReadableStream, maxBytes: number): () => string {
  let kept: Buffer[] = [];
  let total = 0;
  stream.on('data', (chunk: Buffer) => {
    kept.push(chunk);
    total += chunk.length;
    if (total > 2 * maxBytes) {
      kept = [Buffer.concat(kept).subarray(-maxBytes)];
      total = maxBytes;
    }
  });
  return () => Buffer.concat(kept).subarray(-maxBytes).toString('utf8');
}
