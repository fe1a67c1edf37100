/**
 * Throughput of the two stores, and their memory for a large cluster: 5,000 nodes of 13 KB and 50,000 pods of 4 KB.
 * Each store runs in its own process. Results are printed, never asserted: machines differ.
 *
 *     node scripts/run.mjs bench/store.ts
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { createMemoryStore, type Store } from '../src/embedded/apiserver/index.ts';
import { openStore } from '../src/embedded/apiserver/store/store-node.ts';
import { ownMemory } from './resident-memory.ts';
import { runEachStore } from './run-each-store.ts';

const NODES = { count: 5_000, bytes: 13_000, prefix: '/registry/core/nodes/' };
const PODS = { count: 50_000, bytes: 4_000, prefix: '/registry/core/pods/default/' };
const FILL_IN_FLIGHT = 500;
const COMMITS_MS = 3_000;
const GETS = 50_000;
const STORES = ['memory', 'lmdb', 'lmdb without fsync'] as const;

await runEachStore({ script: fileURLToPath(import.meta.url), stores: STORES, run });

async function run(name: string, folder: string): Promise<void> {
  console.log(`\n${name}`);
  const open = () =>
    name === 'memory' ? createMemoryStore() : openStore({ folder, fsync: !name.endsWith('without fsync') });
  show('before', ownMemory());
  let store = open();
  const filled = await timed(() => fill(store));
  show(`fill ${NODES.count + PODS.count} objects`, `${filled.toFixed(0)} ms`);
  show('filled', ownMemory());
  for (const inFlight of [1, 32]) {
    show(`commits, ${inFlight} in flight`, `${await commitsPerSecond(store, inFlight)} /s`);
  }
  show('gets', `${getsPerSecond(store)} /s`);
  show('range of 5,000 × 13 KB', `${median(9, () => list(store, {})).toFixed(0)} ms`);
  show('… in pages of 500', `${median(9, () => list(store, { limit: 500 })).toFixed(0)} ms`);
  const { revision } = store.range({ prefix: '-', limit: 1 }) as { revision: number };
  await churn(store, 1_000);
  show('… at the revision 1,000 commits ago', `${median(9, () => list(store, { revision })).toFixed(0)} ms`);
  show('after reads and writes', ownMemory());
  await store.close();
  if (name === 'memory') return;
  show('data file', `${megabytes(statSync(join(folder, 'data.mdb')).size)} MB`);
  show('reopen', `${(await timed(() => (store = open()))).toFixed(0)} ms`);
  await store.close();
}

async function fill(store: Store): Promise<void> {
  for (const { prefix, count, bytes } of [NODES, PODS]) {
    for (let start = 0; start < count; start += FILL_IN_FLIGHT) {
      const size = Math.min(FILL_IN_FLIGHT, count - start);
      await Promise.all(Array.from({ length: size }, (_, index) => put(store, prefix, start + index, bytes)));
    }
  }
}

async function put(store: Store, prefix: string, number: number, bytes: number): Promise<void> {
  const value = new Uint8Array(bytes).fill(number & 0x7f);
  const result = await store.commit([
    { kind: 'put', key: `${prefix}object-${number}`, expect: 'any', value },
  ]);
  if (result.kind !== 'committed') throw new Error('not committed');
}

async function commitsPerSecond(store: Store, inFlight: number): Promise<number> {
  const start = performance.now();
  let commits = 0;
  const one = async (worker: number) => {
    for (let turn = 0; performance.now() - start < COMMITS_MS; turn++, commits++) {
      await put(store, PODS.prefix, (turn * inFlight + worker) % PODS.count, PODS.bytes);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, (_, worker) => one(worker)));
  return Math.round((commits * 1000) / (performance.now() - start));
}

async function churn(store: Store, commits: number): Promise<void> {
  await Promise.all(
    Array.from({ length: commits }, (_, number) => put(store, NODES.prefix, number, NODES.bytes)),
  );
}

function getsPerSecond(store: Store): number {
  const start = performance.now();
  for (let turn = 0; turn < GETS; turn++) {
    const key = `${PODS.prefix}object-${(turn * 7919) % PODS.count}`;
    if (store.get(key)?.value.length !== PODS.bytes) throw new Error(`${key} is missing`);
  }
  return Math.round((GETS * 1000) / (performance.now() - start));
}

function list(store: Store, query: { readonly limit?: number; readonly revision?: number }): void {
  let after: string | undefined;
  let seen = 0;
  for (;;) {
    const page = store.range({ prefix: NODES.prefix, ...query, ...(after !== undefined && { after }) });
    if (page.kind !== 'page') throw new Error(page.kind);
    seen += page.entries.length;
    after = page.entries.at(-1)?.key;
    if (page.remaining === 0) break;
  }
  if (seen !== NODES.count) throw new Error(`${seen} objects`);
}

async function timed(action: () => unknown): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

function median(rounds: number, action: () => void): number {
  const times = Array.from({ length: rounds }, () => {
    const start = performance.now();
    action();
    return performance.now() - start;
  });
  return times.sort((a, b) => a - b)[rounds >> 1] ?? 0;
}

function megabytes(bytes: number): string {
  return (bytes / 1024 ** 2).toFixed(0);
}

function show(what: string, figure: string): void {
  console.log(`  ${what.padEnd(32)} ${figure}`);
}
