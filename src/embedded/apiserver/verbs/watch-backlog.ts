/**
 * The events of a watch from before it began: the state, or the history since a resourceVersion. Both are read from
 * the store in small pieces, when the client is ready for them.
 */
import type { Resource } from '../../resources/index.ts';
import { joinBytes } from '../http/join-bytes.ts';
import { CHUNK_BYTES, type InitialChunks } from '../http/line-stream.ts';
import { shownObject } from '../store/records.ts';
import type { Entry, OutOfReach, Revision, Store } from '../store/store.ts';
import type { Selection } from './selection.ts';
import { eventTypeFor, type WatchEventEncoder } from './watch-events.ts';

export type Backlog = {
  readonly store: Store;
  readonly resource: Resource;
  readonly selection: Selection;
  readonly lines: WatchEventEncoder;
  /** The prefix of the watched keys. */
  readonly prefix: string;
  /** The prefix is a whole key, of one object. */
  readonly isOne: boolean;
  /** The revision at which the watch began; its subscription continues from there. */
  readonly now: Revision;
};

/** The state when the watch began, as ADDED events. */
export function* stateChunks(backlog: Backlog): InitialChunks {
  const { store, resource, selection, lines, prefix, isOne, now } = backlog;
  const chunk = new Chunk();
  let limit = isOne ? 1 : FIRST_PAGE_ENTRIES;
  let after: string | undefined;
  for (;;) {
    const page = store.range({
      prefix,
      limit,
      revision: now,
      counts: 'whether',
      ...(after === undefined ? {} : { after }),
    });
    if (page.kind !== 'page') return yield* expired(backlog, now, page);
    for (const entry of page.entries) {
      if (!selection.mayMatch(entry)) continue;
      if (selection.needsObject && !selection.matches(shownObject(resource, entry))) continue;
      chunk.add(lines.line('ADDED', entry));
      if (chunk.isFull()) yield chunk.take();
    }
    after = page.entries.at(-1)?.key;
    if (isOne || page.remaining === 0 || after === undefined) break;
    limit = nextLimit(page.entries);
  }
  if (!chunk.isEmpty()) yield chunk.take();
  return 'more';
}

/** The history since a revision. */
export function* historyChunks(backlog: Backlog, version: Revision): InitialChunks {
  const { store, resource, selection, lines, prefix, now } = backlog;
  const chunk = new Chunk();
  for (let from = version; from < now; ) {
    const history = store.history({ prefix, from, to: now, limit: HISTORY_PAGE_WRITES });
    if (history.kind !== 'history') return yield* expired(backlog, from, history);
    for (const event of history.events) {
      const type = eventTypeFor(resource, selection, event);
      if (type === undefined) continue;
      chunk.add(lines.shared(type, event));
      if (chunk.isFull()) yield chunk.take();
    }
    from = history.through;
  }
  if (!chunk.isEmpty()) yield chunk.take();
  return 'more';
}

/** The store has compacted what the client has not read yet. */
function* expired({ store, lines }: Backlog, version: Revision, reach: OutOfReach): InitialChunks {
  yield lines.expired(version, reach.kind === 'compacted' ? reach.compactedRevision : store.revision());
  return 'over';
}

/** Until their size is known. */
const FIRST_PAGE_ENTRIES = 20;
const MAX_PAGE_ENTRIES = 500;
/** A slow client holds about this much of a page in memory. */
const PAGE_BYTES = 512 * 1024;
const HISTORY_PAGE_WRITES = 50;

function nextLimit(entries: readonly Entry[]): number {
  const bytes = entries.reduce((sum, { value }) => sum + value.length, 1);
  return Math.max(1, Math.min(MAX_PAGE_ENTRIES, Math.floor((PAGE_BYTES * entries.length) / bytes)));
}

class Chunk {
  #lines: Uint8Array[] = [];
  #size = 0;

  add(line: Uint8Array): void {
    this.#lines.push(line);
    this.#size += line.length;
  }

  isFull(): boolean {
    return this.#size >= CHUNK_BYTES;
  }

  isEmpty(): boolean {
    return this.#size === 0;
  }

  take(): Uint8Array {
    const bytes = joinBytes(this.#lines);
    this.#lines = [];
    this.#size = 0;
    return bytes;
  }
}
