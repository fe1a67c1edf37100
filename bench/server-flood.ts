/**
 * How much a flood of requests to the machine config server slows a rollout, as a ratio in one run: the budget is 1.10. Rollouts
 * with and without the flood alternate, six nodes in one process with the server. Printed, never asserted.
 *
 *     node scripts/run.mjs bench/server-flood.ts
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

const ROUNDS = 3;
/** New connections, each with one request. */
const REQUESTS_PER_SECOND = 100;

const folder = mkdtempSync(join(tmpdir(), 'millwright-bench-flood-'));
const dataDir = join(folder, 'data');
const args = ['up', '--data-dir', dataDir, '--port', '0'];
const up = spawn('bin/millwright', args, { stdio: ['ignore', 'pipe', 'pipe'] });
try {
  const port = await joiningPort();
  const took: Record<'quiet' | 'flooded', number[]> = { quiet: [], flooded: [] };
  for (let round = 0; round < 2 * ROUNDS; round++) {
    const kind = round % 2 === 0 ? 'quiet' : 'flooded';
    const flood = kind === 'flooded' ? startFlood(port) : undefined;
    const began = performance.now();
    rollOut(round);
    const ms = Math.round(performance.now() - began);
    took[kind].push(ms);
    const answers = flood === undefined ? '' : `; answers by code: ${JSON.stringify(await flood.stop())}`;
    console.log(`  ${kind.padEnd(8)} ${String(ms).padStart(6)} ms${answers}`);
  }
  const ratio = median(took.flooded) / median(took.quiet);
  console.log(
    `a rollout takes ${ratio.toFixed(2)} times as long under ${REQUESTS_PER_SECOND} requests a second`,
  );
} finally {
  const over = once(up, 'exit');
  up.kill('SIGINT');
  await over;
  rmSync(folder, { recursive: true, force: true });
}

/** Of the line after `ready`. The streams stay open: the cluster writes to them. */
function joiningPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = '';
    up.stdout.resume();
    up.stderr.on('data', (piece) => {
      text += String(piece);
      const found = /join through https:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    up.once('exit', () => reject(new Error('it exited before it was ready')));
  });
}

/** A file that nothing reloads or reboots for would not be a rollout: this one drains and reboots. */
function rollOut(round: number): void {
  const contents = { source: `data:,${round}` };
  const config = {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name: '50-flood', labels: { 'machineconfiguration.openshift.io/role': 'worker' } },
    spec: {
      config: {
        ignition: { version: '3.4.0' },
        storage: { files: [{ path: '/etc/flood', mode: 0o644, overwrite: true, contents }] },
      },
    },
  };
  run(['apply', '-f', '-'], JSON.stringify(config));
  run(['wait', 'mcp/worker', '--for', 'condition=Updating', '--timeout', '60s']);
  run(['wait', 'mcp/worker', '--for', 'condition=Updated', '--timeout', '300s']);
}

function run(command: readonly string[], input = ''): void {
  const all = [...command, '--data-dir', dataDir];
  const { status, stderr } = spawnSync('bin/millwright', all, { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`millwright ${all.join(' ')}: ${stderr}`);
}

function startFlood(port: number): { stop(): Promise<Record<string, number>> } {
  // In a process of its own: this one waits for commands.
  const program = `(${flood.toString()})(${port}, ${REQUESTS_PER_SECOND}, require('node:https').request)`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  return {
    async stop() {
      const answer = once(child.stdout, 'data');
      child.stdin.end();
      const [text] = await answer;
      return JSON.parse(String(text));
    },
  };
}

/** Runs until stdin is closed, then prints how often each code was answered. Uses nothing but its parameters. */
function flood(port: number, perSecond: number, send: typeof request): void {
  const counts: Record<string, number> = {};
  const count = (code: number | string) => {
    counts[code] = (counts[code] ?? 0) + 1;
  };
  const timer = setInterval(() => {
    const sent = send({
      host: '127.0.0.1',
      port,
      path: '/config/worker?token=wrong',
      rejectUnauthorized: false,
      agent: false,
    });
    sent.on('response', (response) => {
      count(response.statusCode ?? 0);
      response.resume();
    });
    sent.on('error', () => count('error'));
    sent.end();
  }, 1000 / perSecond);
  process.stdin.on('end', () => {
    clearInterval(timer);
    process.stdout.write(`${JSON.stringify(counts)}\n`, () => process.exit(0));
  });
  process.stdin.resume();
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
