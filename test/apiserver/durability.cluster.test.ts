/**
 * A process writes under load and is killed at random moments, again and again. What it was told is durable must be
 * there, no transaction by half, the log must tell how the state came about, and revisions never go back.
 *
 * Some 15 times in `npm run test:cluster`; as often as one likes with
 *
 *     MILLWRIGHT_KILLS=100 npx vitest run test/apiserver/durability.cluster.test.ts
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
/** How long after which line the blow comes, at most. Opening takes some ten milliseconds. */
const MOMENTS = [
  { line: /^starting$/m, withinMs: 15 },
  { line: /^open /m, withinMs: 20 },
  { line: /^open /m, withinMs: 250 },
  { line: /^ack /m, withinMs: 250 },
];
/** So often a folder is used before another takes its place: opening a new one is a moment of its own. */
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
  `what was acknowledged survives ${KILLS} kills`,
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
    expect(seen.acknowledged, 'the load is real').toBeGreaterThan(KILLS);
  },
  1_000 * (60 + 5 * KILLS),
);

test('a store is refused while the process that writes it lives, and taken over when it is dead', async () => {
  const folder = join(base, 'held');
  const child = start(folder, 0);
  await said(child, /^ack /m);
  expect(() => openStore({ folder })).toThrow(expect.objectContaining({ reason: 'StoreInUse' }));
  await inspect({ folder, output: await kill(child), known: NOTHING });
});

test('a disk that is full fails the commits of the moment and harms nothing else', async () => {
  const folder = join(base, 'full');
  // No file may grow beyond so many KiB: to LMDB that is a disk which takes no more.
  const child = start(folder, 0, [
    'bash',
    '-c',
    'trap \'\' XFSZ; ulimit -f 2000; exec "$@" 2>/dev/null',
    'bash',
  ]);
  await said(child, /^failed \S+ StoreWriteFailed$/m);
  const { acknowledged } = await inspect({ folder, output: await kill(child), known: NOTHING });
  expect(acknowledged).toBeGreaterThan(0);
});

async function liveAndDie(folder: string, life: number): Promise<string> {
  const { line, withinMs } = MOMENTS[life % MOMENTS.length] ?? { line: /^/, withinMs: 0 };
  const child = start(folder, life);
  await said(child, line);
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

function said(child: Child, line: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (line.test(child.output)) resolve();
    };
    child.process.stdout
      .on('data', look)
      .once('end', () => reject(new Error(`it only said: ${child.output}`)));
    look();
  });
}

/** What it said, to the last word that reached the pipe. */
async function kill(child: Child): Promise<string> {
  child.process.kill('SIGKILL');
  expect(await child.closed).toEqual([null, 'SIGKILL']);
  return child.output;
}
