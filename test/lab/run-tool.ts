/** Runs programs of this computer, with a timeout, and with their output in errors. */
import { spawn } from 'node:child_process';

export type Tool = {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly limitMs?: number;
  /** Exit codes other than 0 do not throw. */
  readonly allowsFailure?: boolean;
};

export type Ran = { readonly exitCode: number; readonly stdout: string; readonly stderr: string };

const LIMIT_MS = 120_000;

/** Returns stdout; throws if the program fails. */
export async function runTool(command: readonly string[], tool: Tool = {}): Promise<string> {
  return (await tryTool(command, tool)).stdout;
}

/** Resolves with any exit code, where failures are permitted. */
export function tryTool(command: readonly string[], tool: Tool = {}): Promise<Ran> {
  const { input = '', env = {}, limitMs = LIMIT_MS, allowsFailure = false } = tool;
  const [program = '', ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'pipe', env: { ...process.env, LC_ALL: 'C', ...env } });
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
    const stdout = textOf(child.stdout);
    const stderr = textOf(child.stderr);
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(new Error(`${program} cannot be started`, { cause: error }));
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      const ran = { exitCode: code ?? -1, stdout: stdout(), stderr: stderr() };
      if (ran.exitCode === 0 || (allowsFailure && code !== null)) return resolve(ran);
      const end = code === null ? `was ended by ${signal}` : `exits with ${code}`;
      return reject(new Error(`${command.join(' ')} ${end}: ${ran.stderr}${ran.stdout}`));
    });
    // A program that does not read its input closes it.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

function textOf(stream: NodeJS.ReadableStream): () => string {
  const pieces: Buffer[] = [];
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  return () => Buffer.concat(pieces).toString('utf8');
}
