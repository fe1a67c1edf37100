/**
 * Throughput of our API server and of kube-apiserver with etcd side by side: the same client on the same machine
 * sends them requests in turn, so that other load on the machine affects both. A ratio above 1 means that ours is
 * faster. Both fsync before they acknowledge a write; with `--no-fsync` kube-apiserver does not, and ours still does.
 * Results are printed, never asserted: machines differ.
 *
 *     node scripts/run.mjs bench/against-kubernetes.ts [--no-fsync]
 */
import { readdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { performance } from 'node:perf_hooks';
import { startKubernetes } from '../test/kubernetes/kubernetes.ts';
import { type Connection, eventCounter, openConnection, type Server } from './lean-client.ts';
import { startOwnApiserver } from './own-apiserver.ts';

const WARM_UP_CREATES = 3_000;
const ROUNDS = 3;
const ROUND_MS = 2_000;
const IN_FLIGHT = 32;
const LISTED = 1_000;
const WATCHERS = 200;
const EVENTS = 400;
/** The writer waits when the watchers are this many events behind. */
const EVENTS_IN_FLIGHT = 8;

/** One of the two servers, with its open connections. */
type Peer = {
  readonly server: Server;
  readonly connections: readonly Connection[];
  readonly pids: readonly number[];
};

/** Per second. */
type Measure = {
  readonly name: string;
  readonly prepare?: (peer: Peer) => Promise<void>;
  readonly run: (
    peer: Peer,
    round: number,
  ) => Promise<{ readonly count: number; readonly elapsedMs: number }>;
};

const kubernetes = await startKubernetes({ isDurable: !process.argv.includes('--no-fsync') });
if ('unavailable' in kubernetes)
  throw new Error(`kube-apiserver is not available: ${kubernetes.unavailable}`);
const own = await startOwnApiserver();
try {
  const { url, caPem: ca, adminCert: cert, adminKey: key } = kubernetes;
  const peers = [
    await open(own.server, [own.pid]),
    await open({ name: 'kube-apiserver', url, ca, cert, key }, descendants(['etcd', 'kube-apiserver'])),
  ];
  for (const peer of peers) await warmUp(peer);
  console.log(
    `requests per second (and per second of the server's CPU); load average ${loadavg()[0]?.toFixed(1)}`,
  );
  for (const measure of measures()) await compare(measure, peers);
  console.log(`load average at the end ${loadavg()[0]?.toFixed(1)}`);
} finally {
  await own.stop();
  await kubernetes.stop();
}
process.exit(0);

/** Warms up the JIT compiler of a server that has just started. */
async function warmUp(peer: Peer): Promise<void> {
  let next = 0;
  const writer = async (connection: Connection) => {
    while (next < WARM_UP_CREATES)
      await connection.ask('POST', mapsOf('default'), aConfigMap(`warm-${next++}`));
  };
  await Promise.all(peer.connections.map(writer));
}

async function compare(measure: Measure, peers: readonly Peer[]): Promise<void> {
  for (const peer of peers) await measure.prepare?.(peer);
  const rates = peers.map((): number[] => []);
  const costs = peers.map((): number[] => []);
  // The first round warms up code that only this measurement uses.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [index, peer] of peers.entries()) {
      const cpuBefore = cpuMs(peer.pids);
      const { count, elapsedMs } = await measure.run(peer, round);
      if (round === 0) continue;
      rates[index]?.push((count * 1000) / elapsedMs);
      costs[index]?.push((cpuMs(peer.pids) - cpuBefore) / count);
    }
  }
  const [ours = 0, theirs = 0] = rates.map(median);
  const figures = peers.map(({ server }, index) => {
    const cpu = `${(median(costs[index] ?? []) * 1000).toFixed(0)} µs`;
    return `${server.name} ${median(rates[index] ?? [])
      .toFixed(0)
      .padStart(6)} (${cpu.padStart(8)})`;
  });
  console.log(`  ${measure.name.padEnd(34)} ${figures.join('  ')}  ratio ${(ours / theirs).toFixed(2)}`);
}

function measures(): readonly Measure[] {
  const create = (connection: Connection, name: string) =>
    connection.ask('POST', `${mapsOf('default')}`, aConfigMap(name));
  const get = (connection: Connection) => connection.ask('GET', `${mapsOf('listed')}/item-0`);
  const list = (connection: Connection) => connection.ask('GET', mapsOf('listed'));
  return [
    {
      name: 'create, 1 in flight',
      run: (peer, round) => repeat(peer, 1, (one, n) => create(one, `a-${round}-${n}`)),
    },
    {
      name: `create, ${IN_FLIGHT} in flight`,
      run: (peer, round) => repeat(peer, IN_FLIGHT, (one, n) => create(one, `b-${round}-${n}`)),
    },
    { name: 'get, 1 in flight', prepare: fill, run: (peer) => repeat(peer, 1, get) },
    { name: `get, ${IN_FLIGHT} in flight`, run: (peer) => repeat(peer, IN_FLIGHT, get) },
    { name: `list of ${LISTED}, 1 in flight`, run: (peer) => repeat(peer, 1, list) },
    { name: `list of ${LISTED}, 4 in flight`, run: (peer) => repeat(peer, 4, list) },
    { name: `events to ${WATCHERS} watchers`, prepare: watchedSpace, run: fanOut },
  ];
}

async function repeat(
  { connections }: Peer,
  inFlight: number,
  action: (connection: Connection, number: number) => Promise<unknown>,
): Promise<{ readonly count: number; readonly elapsedMs: number }> {
  const began = performance.now();
  let count = 0;
  const worker = async (connection: Connection) => {
    while (performance.now() - began < ROUND_MS) await action(connection, count++);
  };
  await Promise.all(connections.slice(0, inFlight).map(worker));
  return { count, elapsedMs: performance.now() - began };
}

/** Events that arrive, over all watchers. */
async function fanOut(
  peer: Peer,
  round: number,
): Promise<{ readonly count: number; readonly elapsedMs: number }> {
  const path = mapsOf('watched');
  const [first] = peer.connections;
  if (first === undefined) throw new Error('no connection');
  const { metadata } = jsonOf(await first.ask('GET', `${path}?limit=1`));
  let seen = 0;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const onEvents = (count: number) => {
    seen += count;
    if (seen >= WATCHERS * EVENTS) finish();
  };
  const watchers = await Promise.all(Array.from({ length: WATCHERS }, () => openConnection(peer.server)));
  const query = `?watch=1&resourceVersion=${metadata.resourceVersion}`;
  await Promise.all(watchers.map((watcher) => watcher.stream(`${path}${query}`, eventCounter(onEvents))));
  const began = performance.now();
  let next = 0;
  const writer = async (connection: Connection) => {
    while (next < EVENTS) await connection.ask('POST', path, aConfigMap(`event-${round}-${next++}`));
  };
  await Promise.all(peer.connections.slice(0, EVENTS_IN_FLIGHT).map(writer));
  await finished;
  const elapsedMs = performance.now() - began;
  for (const watcher of watchers) watcher.close();
  return { count: WATCHERS * EVENTS, elapsedMs };
}

async function fill({ connections }: Peer): Promise<void> {
  await makeNamespace(connections, 'listed');
  let next = 0;
  const worker = async (connection: Connection) => {
    while (next < LISTED) await connection.ask('POST', mapsOf('listed'), aConfigMap(`item-${next++}`));
  };
  await Promise.all(connections.slice(0, EVENTS_IN_FLIGHT).map(worker));
}

async function watchedSpace({ connections }: Peer): Promise<void> {
  await makeNamespace(connections, 'watched');
}

async function makeNamespace([first]: readonly Connection[], name: string): Promise<void> {
  await first?.ask('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}

async function open(server: Server, pids: readonly number[]): Promise<Peer> {
  const connections = await Promise.all(Array.from({ length: IN_FLIGHT }, () => openConnection(server)));
  return { server, connections, pids };
}

function mapsOf(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/configmaps`;
}

function aConfigMap(name: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text: 'x'.repeat(500) } };
}

function jsonOf(body: Buffer): { readonly metadata: { readonly resourceVersion: string } } {
  // The body is chunked; the object is between the outermost braces.
  return JSON.parse(body.toString().slice(body.indexOf('{'), body.lastIndexOf('}') + 1));
}

/** Our child processes of these names, direct or not. */
function descendants(names: readonly string[]): readonly number[] {
  const parents = new Map<number, number>();
  const found: number[] = [];
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = /^\d+ \((.*)\) \S (\d+)/.exec(statOf(entry));
    parents.set(Number(entry), Number(stat?.[2]));
    // The kernel truncates names to 15 bytes.
    if (names.some((name) => name.slice(0, 15) === stat?.[1])) found.push(Number(entry));
  }
  const isOurs = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 1 && (pid === process.pid || isOurs(parents.get(pid)));
  return found.filter(isOurs);
}

/** CPU time of the processes, in ticks of 10 ms. */
function cpuMs(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    const fields = statOf(String(pid))
      .replace(/^.*\) /s, '')
      .split(' ');
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, one) => sum + one, 0) * 10;
}

function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}

function median(figures: readonly number[]): number {
  return [...figures].sort((a, b) => a - b)[figures.length >> 1] ?? 0;
}
