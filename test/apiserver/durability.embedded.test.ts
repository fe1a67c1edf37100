/**
 * A process writes under load and is killed repeatedly at random moments. Acknowledged writes must survive, transactions
 * must be atomic, the log must lead to the state, and revisions must never go backwards.
 *
 * Some 15 kills in `npm run test:embedded`; any number with
 *
 *     MILLWRIGHT_KILLS=100 npx vitest run test/apiserver/durability.embedded.test.ts
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore } from '../../src/embedded/apiserver/store/store-node.ts';
import { packageRoot } from '../cli/run-cli.ts';
import { inspect, type Known, NOTHING } from './durability-check.ts';

const { MILLWRIGHT_KILLS } = process.env;
const KILLS = Number(MILLWRIGHT_KILLS ?? 15);
/** The kill comes at most so long after the line. Opening takes some ten milliseconds. */
const MOMENTS = [
  { line: /^starting$/m, withinMs: 15 },
  { line: /^open /m, withinMs: 20 },
  { line: /^open /m, withinMs: 250 },
  { line: /^ack /m, withinMs: 250 },
];
/** Runs per folder. A new folder covers kills during its creation. */
const LIVES_PER_FOLDER = 5;

const base = mkdtempSync(join(tmpdir(), 'millwright-durability-'));
const bundle = join(packageRoot, `dist.durability-${process.pid}`);
const program = join(bundle, 'durability-writer.js');

beforeAll(async () => {
  await build({
    entryPoints: [join(packageRoot, 'test/apiserver/durability-writer.ts')],
    outdir: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['lmdb'],
  });
});

afterAll(() => {
  for (const folder of [base, bundle]) rmSync(folder, { recursive: true, force: true });
});

test(
  `acknowledged writes survive ${KILLS} kills`,
  async () => {
    const seen = { acknowledged: 0, committed: 0, killedWhileOpening: 0 };
    let known: Known = NOTHING;
    for (let life = 0; life < KILLS; life++) {
      const folder = join(base, `${Math.floor(life / LIVES_PER_FOLDER)}`);
      if (life % LIVES_PER_FOLDER === 0) known = NOTHING;
      const output = await liveAndDie(folder, life);
      const found = await inspect({ folder, output, known });
      known = found.known;
      seen.acknowledged += found.acknowledged;
      seen.committed += found.committed;
      if (!/^open /m.test(output)) seen.killedWhileOpening++;
    }
    if (MILLWRIGHT_KILLS !== undefined) process.stdout.write(`${KILLS} kills: ${JSON.stringify(seen)}\n`);
    expect(seen.acknowledged, 'acknowledged writes').toBeGreaterThan(KILLS);
  },
  1_000 * (60 + 5 * KILLS),
);

test('a store cannot be opened while another process holds it, and can be after that was killed', async () => {
  const folder = join(base, 'held');
  const child = start(folder, 0);
  await printed(child, /^ack /m);
  expect(() => openStore({ folder })).toThrow(expect.objectContaining({ reason: 'StoreInUse' }));
  await inspect({ folder, output: await kill(child), known: NOTHING });
});

test('a full disk fails pending commits and damages nothing', async () => {
  const folder = join(base, 'full');
  // With a file size limit LMDB sees a full disk.
  const child = start(folder, 0, [
    'bash',
    '-c',
    'trap \'\' XFSZ; ulimit -f 2000; exec "$@" 2>/dev/null',
    'bash',
  ]);
  await printed(child, /^failed \S+ StoreWriteFailed$/m);
  const { acknowledged } = await inspect({ folder, output: await kill(child), known: NOTHING });
  expect(acknowledged).toBeGreaterThan(0);
});

async function liveAndDie(folder: string, life: number): Promise<string> {
  const { line, withinMs } = MOMENTS[life % MOMENTS.length] ?? { line: /^/, withinMs: 0 };
  const child = start(folder, life);
  await printed(child, line);
  await sleep(randomInt(withinMs));
  return kill(child);
}

type Child = {
  readonly process: ChildProcessByStdio<null, Readable, null>;
  /** Its exit code and its signal. */
  readonly closed: Promise<unknown[]>;
  output: string;
};

function start(folder: string, life: number, wrapper: readonly string[] = []): Child {
  const [command = '', ...args] = [...wrapper, process.execPath, program, folder, `${life}`];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const one: Child = { process: child, closed: once(child, 'close'), output: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    one.output += text;
  });
  return one;
}

function printed(child: Child, line: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (line.test(child.output)) resolve();
    };
    child.process.stdout
      .on('data', look)
      .once('end', () => reject(new Error(`the process printed only: ${child.output}`)));
    look();
  });
}

/** Returns the whole output. */
async function kill(child: Child): Promise<string> {
  child.process.kill('SIGKILL');
  expect(await child.closed).toEqual([null, 'SIGKILL']);
  return child.output;
}
