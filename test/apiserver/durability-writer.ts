/**
 * The process that is killed: it writes as fast as it can and prints on stdout what the store has acknowledged.
 *
 *     starting               about to open the store
 *     open REVISION          opened
 *     ack ID REVISION        the transaction ID has committed; REVISION is that of its last write
 *     failed ID REASON       it has not, and this worker gives up
 *
 * A transaction begins with a note that lists all its writes, so that the reader of the log can detect a partial one.
 * Each worker has its own keys and expects the revisions that it knows.
 */
import { randomInt } from 'node:crypto';
import { writeSync } from 'node:fs';
import { Failure } from '../../src/base/errors.ts';
import type { CommitResult, Store, Write } from '../../src/embedded/apiserver/index.ts';
import { openStore } from '../../src/embedded/apiserver/store/store-node.ts';
import { encodeNote, LOG_LIMITS, MAX_EVENTS_PER_LIFE } from './durability-note.ts';

const WORKERS = 24;
const KEYS_PER_WORKER = 12;
const MAX_VALUE_BYTES = 9_000;

const [, , folder = '', life = ''] = process.argv;

print('starting');
const store = openStore({ folder, limits: LOG_LIMITS });
const first = store.revision();
print(`open ${first}`);
// It ends only by a kill, even if it has nothing to write.
setInterval(() => undefined, 1_000);
await Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(store, worker)));

/**
 * Writes synchronously, so that the line leaves the process before anything else happens. The pipe is non-blocking: while
 * it is full, this function waits.
 */
function print(line: string): void {
  for (;;) {
    try {
      writeSync(1, `${line}\n`);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

async function work(some: Store, worker: number): Promise<void> {
  const prefix = `/worker-${worker}/`;
  const known = new Map<string, number>();
  const page = some.range({ prefix });
  if (page.kind !== 'page') throw new Error(page.kind);
  for (const { key, revision } of page.entries) known.set(key, revision);
  for (let turn = 0; some.revision() - first < MAX_EVENTS_PER_LIFE; turn++) {
    const id = `${life}.${worker}.${turn}`;
    const writes = transaction({ id, prefix, known });
    const result = await attempt(some, writes);
    if (result instanceof Failure) {
      print(`failed ${id} ${result.reason}`);
      return;
    }
    if (result.kind !== 'committed') throw new Error(`conflict at ${writes[result.index]?.key}`);
    print(`ack ${id} ${result.revision}`);
    for (const [index, { kind, key }] of writes.entries()) {
      if (kind === 'put') known.set(key, result.revision - writes.length + 1 + index);
      else known.delete(key);
    }
  }
}

async function attempt(some: Store, writes: readonly Write[]): Promise<CommitResult | Failure> {
  try {
    return await some.commit(writes);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

function transaction(of: {
  id: string;
  prefix: string;
  known: ReadonlyMap<string, number>;
}): readonly Write[] {
  const keys = new Set(
    Array.from({ length: randomInt(4) }, () => `${of.prefix}${String(randomInt(KEYS_PER_WORKER))}`),
  );
  const others = [...keys].map((key): Write => {
    const revision = of.known.get(key);
    if (revision !== undefined && randomInt(3) === 0) return { kind: 'delete', key, expect: revision };
    const value = new TextEncoder().encode(of.id.padEnd(randomInt(MAX_VALUE_BYTES), ' '));
    return { kind: 'put', key, expect: revision ?? 'absent', value };
  });
  const key = `${of.prefix}note`;
  const value = encodeNote({
    id: of.id,
    writes: others.map((write) => ({ kind: write.kind, key: write.key })),
  });
  return [{ kind: 'put', key, expect: of.known.get(key) ?? 'absent', value }, ...others];
}
