/** `millwright apiserver` as a process that can be killed and restarted with the same data and address. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { connect, type HttpClient } from '../contract/http-client.ts';
import { readKubeconfig } from '../kubernetes/kubeconfig.ts';
import { buildProgram, packageRoot } from '../up/program.ts';

export type ApiserverProcess = {
  readonly port: number;
  readonly kubeconfig: string;
  /** For process statistics of the operating system. */
  readonly pid: number;
  /** Of an administrator; each has connections of its own. */
  readonly connect: () => HttpClient;
  readonly end: (signal: NodeJS.Signals) => Promise<void>;
};

export type ProcessOptions = {
  readonly dataDir: string;
  /** Default: any free port. */
  readonly port?: number;
  readonly flags?: readonly string[];
};

export async function startApiserverProcess(options: ProcessOptions): Promise<ApiserverProcess> {
  const { dataDir, port = 0, flags = [] } = options;
  await buildProgram();
  const args = [join(packageRoot, 'dist/main.js'), 'apiserver', '--data-dir', dataDir];
  const child = spawn(process.execPath, [...args, '--port', String(port), ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      printed += chunk;
      if (/^ready .*\n/m.test(printed)) resolve();
    });
    child.stderr.on('data', (chunk) => {
      printed += chunk;
    });
    child.once('close', (code) => reject(new Error(`the server ended with ${code}: ${printed}`)));
  });
  // It is waited for below; once the server runs its end is no failure.
  ready.catch(() => undefined);
  await ready;
  const kubeconfig = join(dataDir, 'kubeconfig');
  const { url, caPem: ca, admin } = await readKubeconfig(kubeconfig);
  return {
    port: Number(new URL(url).port),
    kubeconfig,
    pid: child.pid ?? 0,
    connect: () => connect({ url, ca, admin }),
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const over = once(child, 'close');
      child.kill(signal);
      await over;
    },
  };
}
