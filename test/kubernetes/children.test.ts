import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../lab/until.ts';
import { makeChildren } from './children.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millwright-children-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** It writes down when it begins and when it is asked to end. */
const server = (name: string) => ({
  name,
  program: 'sh',
  args: [
    '-c',
    `trap 'echo "$1 ends" >>"$2"; exit' TERM; echo "$1 begins" >>"$2"; while :; do sleep 0.05; done`,
    'server',
    name,
    join(folder, 'diary'),
  ],
  logPath: join(folder, `${name}.log`),
});
const diary = async () =>
  (await readFile(join(folder, 'diary'), 'utf8').catch(() => '')).split('\n').slice(0, -1);
const untilWritten = (line: string, times = 1) =>
  until(`${line}, ${times} times`, { limitMs: 20_000 }, async () => {
    return (await diary()).filter((one) => one === line).length === times;
  });

it('stops servers in the reverse order of their start, also where one was stopped and started again', async () => {
  const { start, stop, stopAll, wanted } = makeChildren();
  start(server('etcd'));
  await untilWritten('etcd begins');
  start(server('api'));
  await untilWritten('api begins');
  await stop('etcd');
  expect(wanted().map(({ name }) => name)).toEqual(['api']);
  start(server('etcd'));
  await untilWritten('etcd begins', 2);
  await stopAll();
  expect((await diary()).slice(-2)).toEqual(['api ends', 'etcd ends']);
});

it('tells which server has ended by itself', async () => {
  const { start, stopAll, wanted, logs } = makeChildren();
  const [name, logPath] = ['short', join(folder, 'short.log')];
  start({ name, logPath, program: 'sh', args: ['-c', 'echo out of memory'] });
  await until('it has ended', { limitMs: 20_000 }, async () => wanted().every((child) => child.hasEnded()));
  expect(await logs()).toBe('--- short (ended)\nout of memory\n');
  await stopAll();
});
