/** `millwright apiserver` with the same directory and port in every run. */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { packageRoot } from '../cli/run-cli.ts';

export type ServerProcess = {
  /** Resolves once it has printed `ready`; rejects when it exits before. */
  readonly untilReady: () => Promise<void>;
  readonly printed: () => string;
  /** With SIGKILL. Resolves when the process has exited. */
  readonly kill: () => Promise<void>;
};

export function startProcess({ folder, port }: { folder: string; port: number }): ServerProcess {
  const program = join(packageRoot, 'bin/millwright');
  const child = spawn(program, ['apiserver', '--data-dir', folder, '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  return {
    untilReady: () =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (/^ready /m.test(printed)) resolve();
        };
        child.stdout.on('data', look);
        child.once('close', () => reject(new Error(`the server exited unexpectedly: ${printed}`)));
        look();
      }),
    printed: () => printed,
    async kill() {
      child.kill('SIGKILL');
      expect(await closed, printed).toEqual([null, 'SIGKILL']);
    },
  };
}

/**
 * Below the ephemeral ports: while the server is down its port is not assigned to any client by chance, not even to one
 * that tries to reach it.
 */
const PORTS = { from: 15_000, below: 32_000 };
const MAX_PORTS_TRIED = 50;

export async function findPort(): Promise<number> {
  for (let tried = 0; tried < MAX_PORTS_TRIED; tried++) {
    const port = randomInt(PORTS.from, PORTS.below);
    if (await isFree(port)) return port;
  }
  throw new Error(`${MAX_PORTS_TRIED} ports were tried and all are in use`);
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
