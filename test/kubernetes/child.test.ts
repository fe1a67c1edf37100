import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Child, GUARD, startChild } from './child.ts';

describe('a server process', () => {
  let directory = '';
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'millwright-child-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  const start = (name: string, script: string): Child =>
    startChild({ name, program: '/bin/sh', args: ['-c', script], logPath: join(directory, name) });

  it('reports its end with its last output', async () => {
    const child = start('short', 'echo last line; exit 3');
    await until(async () => child.hasEnded());
    expect(await child.logTail()).toBe('last line\n');
    await child.stop();
  });

  it('ends when it is stopped', async () => {
    const child = start('stopped', 'echo $$; exec sleep 1000');
    const id = await writtenId(join(directory, 'stopped'));
    expect([isAlive(id), child.hasEnded()]).toEqual([true, false]);
    await child.stop();
    expect([isAlive(id), child.hasEnded()]).toEqual([false, true]);
  });

  it('ends with its parent process, even if that is killed', async () => {
    const log = join(directory, 'orphan');
    const starter = `
      const log = require('node:fs').openSync(process.argv[2], 'a');
      const args = ['-c', process.argv[1], 'guard', '/bin/sh', '-c', 'echo $$; exec sleep 1000'];
      require('node:child_process').spawn('/bin/sh', args, { stdio: ['pipe', log, log] });
      setInterval(() => undefined, 1000);`;
    const parent = spawn(process.execPath, ['-e', starter, GUARD, log]);
    const id = await writtenId(log);
    expect(isAlive(id)).toBe(true);
    parent.kill('SIGKILL');
    await once(parent, 'close');
    await until(async () => !isAlive(id));
  });
});

const LIMIT_MS = 30_000;

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${LIMIT_MS} ms`);
    await sleep(10);
  }
}

/** The id that a script wrote as its first line. */
async function writtenId(path: string): Promise<number> {
  let text = '';
  await until(async () => {
    text = await readFile(path, 'utf8').catch(() => '');
    return text.includes('\n');
  });
  return Number(text);
}

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}
