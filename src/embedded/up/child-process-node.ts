/**
 * A program of ours as a child process that ends, with all that it has started, when its standard input closes: also where this
 * process is killed.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

type Child = {
  readonly program: readonly [string, ...string[]];
  readonly environment: { readonly [name: string]: string | undefined };
  readonly directory: string;
  readonly print: (line: string) => void;
  /** Stops it and what it has started. */
  readonly signal: AbortSignal;
};

/** Its exit code; 137 where it was killed. */
export async function runChild({ program, environment, directory, print, signal }: Child): Promise<number> {
  if (signal.aborted) return KILLED;
  const [command, ...args] = program;
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: environment,
    cwd: directory,
  });
  const stop = () => child.stdin.end();
  signal.addEventListener('abort', stop, { once: true });
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', print);
  child.stdin.on('error', () => undefined);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve(code ?? KILLED));
    });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

const KILLED = 137;
