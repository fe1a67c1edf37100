/**
 * Starts `millwright apiserver` in its own process, as users do.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readKubeconfig } from '../test/kubernetes/kubeconfig.ts';
import type { Server } from './lean-client.ts';

export type OwnApiserver = {
  readonly server: Server;
  readonly pid: number;
  readonly stop: () => Promise<void>;
};

export async function startOwnApiserver(): Promise<OwnApiserver> {
  // Builds if needed: not measured.
  spawnSync('bin/millwright', ['--version'], { stdio: 'ignore' });
  const folder = mkdtempSync(join(tmpdir(), 'millwright-bench-'));
  const child = spawn('bin/millwright', ['apiserver', '--data-dir', folder, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await ready(child);
  const { url, caPem: ca, admin } = await readKubeconfig(join(folder, 'kubeconfig'));
  if (!('cert' in admin)) throw new Error('the administrator has no certificate');
  return {
    server: { name: 'millwright', url, ca, cert: admin.cert, key: admin.key },
    pid: child.pid ?? 0,
    async stop() {
      const over = once(child, 'close');
      child.kill('SIGTERM');
      await over;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function ready({ stdout }: ChildProcess): Promise<void> {
  let text = '';
  for await (const piece of stdout ?? []) {
    text += String(piece);
    if (/^ready .*\n/m.test(text)) return;
  }
  throw new Error('the server exited before it was ready');
}
