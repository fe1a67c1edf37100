/**
 * An hour of an ordinary cluster in a few minutes: the writes of an hour at 50 per second, as fast as possible, with
 * 200 watchers, some cluster-wide and most of one namespace, which disconnect and reconnect now and then. Prints
 * whether memory stays flat, and the latency of writes and events. Never asserted.
 *
 *     node scripts/run.mjs bench/soak.ts [MINUTES]
 */
import { loadavg } from 'node:os';
import { performance } from 'node:perf_hooks';
import { type Connection, openConnection, type Server } from './lean-client.ts';
import { startOwnApiserver } from './own-apiserver.ts';
import { residentMib } from './resident-memory.ts';
import { SoakWatcher } from './soak-watcher.ts';

const WRITES = 50 * 3600;
const WRITERS = 16;
const WATCHERS = 200;
const WATCHERS_OF_ALL = 5;
const NAMESPACES = 15;
/** Live objects; the writes change them, and now and then one is replaced. */
const OBJECTS = 1_500;
const WRITES_PER_LIFE = 20;
const WRITES_PER_RETURN = 500;
const REPORTS = 12;
const [, , minutes = '5'] = process.argv;
const LIMIT_MS = Number(minutes) * 60_000;

const own = await startOwnApiserver();
try {
  await soak(own.server, own.pid);
} finally {
  await own.stop();
}
process.exit(0);

async function soak(server: Server, pid: number): Promise<void> {
  const writers = await Promise.all(Array.from({ length: WRITERS }, () => openConnection(server)));
  const [first] = writers;
  if (first === undefined) throw new Error('no connection');
  for (let index = 0; index < NAMESPACES; index++) {
    await first.ask('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: spaceOf(index) },
    });
  }
  const watchers = await Promise.all(
    Array.from({ length: WATCHERS }, (_, index) => SoakWatcher.open(server, watchedPath(index))),
  );
  const probe = await SoakWatcher.open(server, watchedPath(0));
  console.log(`${WRITES} writes by ${WRITERS}, ${WATCHERS} watchers, at most ${minutes} min; load ${load()}`);
  report({ writes: 0, elapsedMs: 0, pid, latencies: [], lags: [], events: 0 });
  const began = performance.now();
  let [writes, latencies, nextReport] = [0, [] as number[], 1];
  const isOver = () => writes >= WRITES || performance.now() - began > LIMIT_MS;
  const share = () => Math.max(writes / WRITES, (performance.now() - began) / LIMIT_MS);
  const write = async (connection: Connection, writer: number) => {
    for (let turn = 0; !isOver(); turn++) {
      const asked = performance.now();
      await writeOne(connection, writer, turn);
      latencies.push(performance.now() - asked);
      writes++;
      if (writes % WRITES_PER_RETURN === 0)
        await watchers[(writes / WRITES_PER_RETURN) % WATCHERS]?.goAndReturn();
      if (share() * REPORTS < nextReport) continue;
      nextReport++;
      const events = watchers.reduce((sum, watcher) => sum + watcher.events, 0);
      report({
        writes,
        elapsedMs: performance.now() - began,
        pid,
        latencies,
        lags: probe.takeLags(),
        events,
      });
      latencies = [];
    }
  };
  await Promise.all(writers.map(write));
  console.log(`load ${load()} at the end; ${(writes / 50 / 60).toFixed(0)} min of 50 writes a second`);
}

/** Each writer has its own objects, to avoid conflicts. */
async function writeOne(connection: Connection, writer: number, turn: number): Promise<void> {
  const perWriter = Math.floor(OBJECTS / WRITERS);
  const slot = turn % perWriter;
  const namespace = spaceOf((writer + slot) % NAMESPACES);
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const name = `object-${writer}-${slot}`;
  const round = Math.floor(turn / perWriter) % WRITES_PER_LIFE;
  const data = { at: String(performance.now()), text: 'x'.repeat(500) };
  const body = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, labels: { round: String(round) } },
    data,
  };
  if (round === 0) await connection.ask('POST', path, body);
  else if (round === WRITES_PER_LIFE - 1) await connection.ask('DELETE', `${path}/${name}`);
  else await connection.ask('PUT', `${path}/${name}`, body);
}

type Figures = {
  readonly writes: number;
  readonly elapsedMs: number;
  readonly pid: number;
  readonly latencies: readonly number[];
  readonly lags: readonly number[];
  readonly events: number;
};

function report({ writes, elapsedMs, pid, latencies, lags, events }: Figures): void {
  const mib = (field: 'VmRSS' | 'RssAnon') => residentMib(pid, field).toFixed(0).padStart(4);
  const times = (figures: readonly number[]) =>
    [0.5, 0.99].map((part) => `${percentile(figures, part).toFixed(1)} ms`.padStart(9)).join(' ');
  console.log(
    `  ${String(writes).padStart(6)} writes, ${(elapsedMs / 1000).toFixed(0).padStart(3)} s: RSS ${mib('VmRSS')} MiB, its own ${mib('RssAnon')}; ` +
      `write p50, p99 ${times(latencies)}; news ${times(lags)}; ${(events / 1e6).toFixed(2)} M events`,
  );
}

function percentile(figures: readonly number[], part: number): number {
  const sorted = [...figures].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

function watchedPath(index: number): string {
  const place = index < WATCHERS_OF_ALL ? '' : `/namespaces/${spaceOf(index)}`;
  return `/api/v1${place}/configmaps?watch=1&allowWatchBookmarks=true`;
}

function spaceOf(index: number): string {
  return `soak-${index % NAMESPACES}`;
}

function load(): string {
  return loadavg()[0]?.toFixed(1) ?? '';
}
