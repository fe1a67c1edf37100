/** `millwright up` as a process, from the bundle in dist/. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const packageRoot = fileURLToPath(new URL('../..', import.meta.url));
const program = join(packageRoot, 'dist/main.js');

export type Ended = {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

export type Up = {
  readonly dataDir: string;
  readonly kubeconfig: string;
  readonly pid: number;
  /** The output so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<Ended>;
  /** Sends the signal and waits for the exit; rejects after a time limit. */
  readonly end: (signal: NodeJS.Signals) => Promise<Ended>;
};

/** Under the lock of the checkout; does nothing if the bundle is current. */
export async function buildProgram(): Promise<void> {
  await promisify(execFile)('sh', [join(packageRoot, 'scripts/setup.sh'), '--build']);
}

/** All started processes; those left by a failed test are killed. */
const children = new Set<ChildProcess>();

export async function killRest(): Promise<void> {
  const left = [...children].filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  await Promise.all(
    left.map(async (child) => {
      child.kill('SIGKILL');
      await once(child, 'close');
    }),
  );
}

/** Time limit for a clean stop. */
const END_LIMIT_MS = 30_000;

type Started = Pick<Up, 'pid' | 'stdout' | 'stderr' | 'ended' | 'end'> & { readonly child: ChildProcess };

function spawnUp(dataDir: string, flags: readonly string[]): Started {
  const child = spawn(process.execPath, [program, 'up', '--data-dir', dataDir, '--port', '0', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = once(child, 'close').then(([exitCode, signal]) => ({ exitCode, signal, stdout, stderr }));
  return {
    child,
    ended,
    pid: child.pid ?? 0,
    stdout: () => stdout,
    stderr: () => stderr,
    async end(signal) {
      child.kill(signal);
      const limit = new AbortController();
      const tooLate = sleep(END_LIMIT_MS, undefined, { signal: limit.signal }).then(() =>
        Promise.reject(new Error(`up still runs ${END_LIMIT_MS} ms after ${signal}: ${stderr}`)),
      );
      try {
        return await Promise.race([ended, tooLate]);
      } finally {
        limit.abort();
        tooLate.catch(() => undefined);
      }
    },
  };
}

/** Resolves at the ready line; rejects with the output if the program ends before. */
export async function startUp(dataDir: string, flags: readonly string[] = []): Promise<Up> {
  const { child, ...started } = spawnUp(dataDir, flags);
  const ready = new Promise<void>((resolve) => {
    child.stdout?.on('data', () => {
      if (/^ready .*\n/m.test(started.stdout())) resolve();
    });
  });
  await Promise.race([
    ready,
    started.ended.then((end) => Promise.reject(new Error(`up has ended: ${JSON.stringify(end)}`))),
  ]);
  return { ...started, dataDir, kubeconfig: join(dataDir, 'kubeconfig') };
}

/** For a start that is expected to fail. */
export async function refusedUp(dataDir: string, flags: readonly string[] = []): Promise<Ended> {
  const { child, ended } = spawnUp(dataDir, flags);
  child.stdout?.once('data', () => child.kill('SIGKILL'));
  return await ended;
}
