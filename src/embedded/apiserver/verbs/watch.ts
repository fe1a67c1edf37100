/**
 * `GET` of a collection with `watch`: its events, line by line, until one side ends the stream.
 *
 *     state or history (`watch-backlog.ts`) ──────────────┐
 *                                                         ├──> lines, encoded when they are sent ──> client
 *     store ──> subscription ──> buffered events ─────────┘
 *
 * Nothing is read from the store faster than the client reads, and the buffer is bounded: a slow client is
 * disconnected, and can resume from its last resourceVersion.
 */

import { assert } from '../../../base/errors.ts';
import type { Call } from '../call.ts';
import type { Response } from '../http/http.ts';
import { type InitialChunks, type LineStream, openLineStream } from '../http/line-stream.ts';
import { warningHeaders } from '../response.ts';
import type { ServerContext } from '../server-context.ts';
import { prefixOf } from '../store/records.ts';
import type { Revision, StoreEvent, Subscription } from '../store/store.ts';
import { type ListOptions, parseVersion } from './query-options.ts';
import { type Selection, selectedKey, selectionOf } from './selection.ts';
import { checkTableOptions } from './transform.ts';
import { type Backlog, historyChunks, stateChunks } from './watch-backlog.ts';
import { eventTypeFor, WatchEventEncoder } from './watch-events.ts';

/** Without a timeout from the client a watch lasts between one and two of these. */
const DEFAULT_WATCH_MS = 30 * 60_000;
const BOOKMARK_INTERVAL_MS = 60_000;
/** A last bookmark precedes the end by this. */
const LAST_BOOKMARK_MS = 2_000;

export function watchObjects(server: ServerContext, call: Call, options: ListOptions): Response {
  const selection = selectionOf(call.resource, options);
  const version = parseVersion(options.resourceVersion, false);
  checkTableOptions(call);
  return {
    status: 200,
    headers: [
      ['content-type', call.format.encoding === 'yaml' ? 'application/yaml' : 'application/json'],
      ['cache-control', 'no-cache, private'],
      ...warningHeaders(call.warnings),
    ],
    body: new WatchSession(server, call, { selection, options }).open(version).body,
  };
}

type WatchOptions = { readonly selection: Selection; readonly options: ListOptions };

class WatchSession {
  readonly #server: ServerContext;
  readonly #call: Call;
  readonly #selection: Selection;
  readonly #options: ListOptions;
  readonly #lines: WatchEventEncoder;

  constructor(server: ServerContext, call: Call, { selection, options }: WatchOptions) {
    this.#server = server;
    this.#call = call;
    this.#selection = selection;
    this.#options = options;
    this.#lines = new WatchEventEncoder(server, call);
  }

  open(version: Revision | undefined): LineStream {
    const { store } = this.#server;
    const now = store.revision();
    const stream = openLineStream(this.#call.request.signal, this.#initialChunks(version, now));
    // A future version: earlier events are skipped.
    const from = Math.max(now, version ?? 0);
    const subscribed = store.subscribe({ prefix: this.#backlog(now).prefix, from: now }, (event) => {
      if (event.revision > from) this.#send(stream, event);
    });
    assert(subscribed.kind === 'subscribed', 'the latest revision is not compacted');
    stream.whenClosed(() => subscribed.subscription.cancel());
    this.#scheduleEnd(stream, subscribed.subscription);
    return stream;
  }

  /** Without a version, the current state as ADDED events; otherwise the history. */
  #initialChunks(version: Revision | undefined, now: Revision): InitialChunks {
    const backlog = this.#backlog(now);
    if (version === undefined || version === 0) return stateChunks(backlog);
    const since = this.#server.catalog.customOf(this.#call.resource)?.since ?? 0;
    const oldest = Math.max(since, this.#server.store.compactedRevision());
    if (version < oldest) return this.#expired(version, oldest);
    return historyChunks(backlog, Math.min(version, now));
  }

  *#expired(version: Revision, oldest: Revision): InitialChunks {
    yield this.#lines.expired(version, oldest);
    return 'over';
  }

  #backlog(now: Revision): Backlog {
    const { resource, info } = this.#call;
    // A watch of one object subscribes to its key, so that other changes cost nothing.
    const key = selectedKey(resource, info.namespace, this.#selection);
    return {
      store: this.#server.store,
      resource,
      selection: this.#selection,
      lines: this.#lines,
      prefix: key ?? prefixOf(resource, info.namespace),
      isOne: key !== undefined,
      now,
    };
  }

  #send(stream: LineStream, event: StoreEvent): void {
    const type = eventTypeFor(this.#call.resource, this.#selection, event);
    if (type === undefined) return;
    const size = (event.kind === 'put' ? event.value.length : 0) + (event.previous?.value.length ?? 0);
    stream.push({ sizeBytes: size, bytes: () => this.#lines.shared(type, event) });
  }

  /** Schedules the end of the watch, and bookmarks if requested. */
  #scheduleEnd(stream: LineStream, subscription: Subscription): void {
    const { clock, random } = this.#server.env;
    const { timeoutSeconds, allowsBookmarks } = this.#options;
    const isLimited = timeoutSeconds !== undefined && timeoutSeconds > 0;
    const lastsMs = isLimited ? timeoutSeconds * 1000 : DEFAULT_WATCH_MS * (1 + random.next());
    const end = clock.after(lastsMs, () => stream.end());
    stream.whenClosed(() => end.cancel());
    if (!allowsBookmarks) return;
    const bookmark = () => {
      const bytes = this.#lines.bookmark(subscription.progress());
      stream.push({ sizeBytes: bytes.length, bytes: () => bytes });
    };
    const last = clock.after(Math.max(0, lastsMs - LAST_BOOKMARK_MS), bookmark);
    stream.whenClosed(() => last.cancel());
    let next = clock.after(BOOKMARK_INTERVAL_MS, again);
    function again(): void {
      bookmark();
      next = clock.after(BOOKMARK_INTERVAL_MS, again);
    }
    stream.whenClosed(() => next.cancel());
  }
}
