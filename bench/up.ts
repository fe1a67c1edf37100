/**
 * Time until `millwright up` is ready, on the first start and later, and its memory: six nodes, in its own process,
 * built before. Results are printed, never asserted: machines differ.
 *
 *     node scripts/run.mjs bench/up.ts
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { residentMib } from './resident-memory.ts';

const LATER_STARTS = 3;
const REST_MS = 5_000;

const folder = mkdtempSync(join(tmpdir(), 'millwright-bench-up-'));
try {
  spawnSync('bin/millwright', ['--version'], { stdio: 'ignore' });
  console.log('up, six nodes at the default speed; the budget is 5,000 ms and 300 MiB');
  await run('first start');
  for (let count = 0; count < LATER_STARTS; count++) await run('later start');
  await run('after SIGKILL', 'SIGKILL');
  await run('later start');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(what: string, end: 'SIGINT' | 'SIGKILL' = 'SIGINT'): Promise<void> {
  const began = performance.now();
  const args = ['up', '--data-dir', join(folder, 'data'), '--port', '0'];
  const child = spawn('bin/millwright', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  await ready(child);
  const readyMs = Math.round(performance.now() - began);
  const mib = (field: 'VmRSS' | 'VmHWM') => residentMib(child.pid, field).toFixed(0);
  const atReady = mib('VmRSS');
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  const figures = `at ready ${atReady} MiB, at rest ${mib('VmRSS')} MiB, peak ${mib('VmHWM')} MiB`;
  const over = once(child, 'exit');
  const asked = performance.now();
  child.kill(end);
  await over;
  const stopMs = Math.round(performance.now() - asked);
  console.log(
    `  ${what.padEnd(14)} ready after ${String(readyMs).padStart(5)} ms; ${figures}; ended in ${stopMs} ms`,
  );
}

async function ready({ stdout }: ChildProcess): Promise<void> {
  let text = '';
  for await (const piece of stdout ?? []) {
    text += String(piece);
    if (/^ready .*\n/m.test(text)) return;
  }
  throw new Error('it exited before it was ready');
}
