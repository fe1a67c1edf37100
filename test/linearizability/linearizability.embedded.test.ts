/**
 * A hundred writers on the same few objects, over sockets, against the server as people start it: what they were
 * answered must be explained by objects that do one thing at a time, also where the server is killed in between.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiserverProcess, startApiserverProcess } from '../apiserver/apiserver-process.ts';
import type { HttpClient } from '../contract/http-client.ts';
import { checkLinearizable } from './linearizable.ts';
import { objectModel, type Shown } from './object-model.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { followEvents, type SeenEvent } from './watcher.ts';
import { COUNTERS, NAMES, runWriters } from './writers.ts';

const WRITERS = 100;
const ROUNDS = 4;
const NAMESPACE = 'shared';

describe('a hundred writers on shared objects', () => {
  let folder: string;
  let server: ApiserverProcess;
  let client: HttpClient;
  let recorder: Recorder;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millwright-linearizable-'));
    server = await startApiserverProcess({ dataDir: folder });
    client = server.connect();
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
    expect(await client.request('POST', '/api/v1/namespaces', { body })).toMatchObject({ status: 201 });
    recorder = createRecorder(() => client, NAMESPACE);
  });
  afterEach(async () => {
    client.close();
    await server.end('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  it('see linearizable objects, and watches see each write once, in order', async () => {
    const watching = await Promise.all([followEvents(client, NAMESPACE), followEvents(client, NAMESPACE)]);
    await makeCounters(recorder);
    await runWriters(recorder, WRITERS, ROUNDS);
    await expectNothingLost(recorder);
    expectLinearizable(recorder);
    const newest = Math.max(...acknowledged(recorder).map(({ version }) => version));
    for (const followed of watching) {
      const seen = await followed.until(newest);
      expectOrder(seen);
      // Deletions do not return their version.
      const changes = seen
        .filter(({ type }) => type !== 'DELETED')
        .map(({ name, shown }) => ({ name, ...shown }));
      expect(changes).toEqual(acknowledged(recorder).sort((a, b) => a.version - b.version));
      expectLife(seen);
    }
  });

  it('find all acknowledged writes after a crash, and no partial ones', async () => {
    const before = await followEvents(client, NAMESPACE);
    await makeCounters(recorder);
    const killed = new Promise<void>((resolve) => {
      setTimeout(() => resolve(server.end('SIGKILL')), KILL_AFTER_MS);
    });
    // More rounds than there is time for: all are at work when the end comes.
    await Promise.all([runWriters(recorder, WRITERS, 1_000), killed]);
    const seenBefore = await before.end();
    client.close();
    server = await startApiserverProcess({ dataDir: folder, port: server.port });
    client = server.connect();
    const from = seenBefore.at(-1)?.shown.version ?? 0;
    const after = await followEvents(client, NAMESPACE, from);
    for (const name of [...COUNTERS, ...NAMES]) await recorder.ask(name, { kind: 'get' });
    await runWriters(recorder, WRITERS, 1);
    expectLinearizable(recorder);
    const newest = Math.max(...acknowledged(recorder).map(({ version }) => version));
    const seen = [...seenBefore, ...(await after.until(newest))];
    expectOrder(seen);
    expectLife(seen);
    const watched = new Map(seen.map(({ shown, name }) => [shown.version, { name, ...shown }]));
    for (const one of acknowledged(recorder)) expect(watched.get(one.version)).toEqual(one);
    const unanswered = [...recorder.histories().values()]
      .flat()
      .filter(({ answered }) => answered === undefined);
    const unclaimed = seen.filter(({ type }) => type !== 'DELETED').length - acknowledged(recorder).length;
    expect(unclaimed, 'unacknowledged writes').toBeLessThanOrEqual(unanswered.length);
    expect(unanswered.length, 'calls under way when the server was killed').toBeGreaterThan(0);
  });
});

/** Long enough for hundreds of writes, on a busy machine too. */
const KILL_AFTER_MS = 1_500;

async function makeCounters(recorder: Recorder): Promise<void> {
  for (const name of COUNTERS) await recorder.ask(name, { kind: 'create', data: { n: '0' } });
}

type Named = Shown & { readonly name: string };

/** The acknowledged writes of all writers. */
function acknowledged(recorder: Recorder): Named[] {
  return [...recorder.histories()].flatMap(([name, history]) =>
    history.flatMap(({ call, answered }) => {
      const shown = call.kind === 'get' ? undefined : answered?.answer.shown;
      return shown === undefined ? [] : [{ name, ...shown }];
    }),
  );
}

function expectLinearizable(recorder: Recorder): void {
  for (const [name, history] of recorder.histories()) {
    expect(checkLinearizable(objectModel, history), name).toMatchObject({ kind: 'linearizable' });
  }
}

/** Each counter has counted every success. */
async function expectNothingLost(recorder: Recorder): Promise<void> {
  for (const name of COUNTERS) {
    const successes = (recorder.histories().get(name) ?? []).filter(
      ({ call, answered }) =>
        (call.kind === 'update' || call.kind === 'exchange') && answered?.answer.status === 200,
    );
    const { shown } = (await recorder.ask(name, { kind: 'get' })) ?? {};
    expect(shown?.data.n, name).toBe(String(successes.length));
    expect(successes.length, `successes on ${name}`).toBeGreaterThan(WRITERS / 10);
  }
}

function expectOrder(seen: readonly SeenEvent[]): void {
  const versions = seen.map(({ shown }) => shown.version);
  expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
}

/** Each object comes, changes, and goes as it last was; who comes next under its name is another. */
function expectLife(seen: readonly SeenEvent[]): void {
  const living = new Map<string, Shown>();
  for (const { type, name, shown } of seen) {
    const before = living.get(name);
    if (type === 'ADDED') expect(before, `${name} comes`).toBeUndefined();
    else expect(shown.uid, `${name} is the same`).toBe(before?.uid);
    if (type === 'DELETED') {
      expect(shown.data).toEqual(before?.data);
      living.delete(name);
    } else living.set(name, shown);
  }
}
