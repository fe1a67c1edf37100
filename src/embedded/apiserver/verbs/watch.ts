/**
 * `GET` of a collection with `watch`: what happens to its objects, line by line, until one side has had enough.
 *
 *     what was before the watch began (`watch-backlog.ts`) ──┐
 *                                                            ├──> lines, made when they are sent ──> client
 *     store ──> subscription ──> events that wait ───────────┘
 *
 * Nothing is read from the store faster than the client takes it, and what waits is bounded: a client that does not
 * keep up is cut off, and can begin again from the version it knows.
 */
import { Bug } from '../../../base/errors.ts';
import type { Call, World } from '../call.ts';
import type { Response } from '../http/http.ts';
import { type FirstPieces, type LineStream, openLines } from '../http/line-stream.ts';
import { warningHeaders } from '../response.ts';
import { keyOf, prefixOf } from '../store/records.ts';
import type { Revision, StoreEvent, Subscription } from '../store/store.ts';
import { type ListOptions, parseVersion } from './query-options.ts';
import { type Selection, selectionOf } from './selection.ts';
import { refuseTableOptions } from './transform.ts';
import { type Backlog, historyPieces, statePieces } from './watch-backlog.ts';
import { eventTypeFor, WatchLines } from './watch-events.ts';

/** Without a limit from the client a watch lasts between one and two of these. */
const DEFAULT_WATCH_MS = 30 * 60_000;
const BOOKMARK_INTERVAL_MS = 60_000;
/** A last bookmark comes this long before the end, so that it is seen. */
const LAST_BOOKMARK_MS = 2_000;

export function watchObjects(world: World, call: Call, options: ListOptions): Response {
  const selection = selectionOf(call.resource, options);
  const version = parseVersion(options.resourceVersion, false);
  refuseTableOptions(call);
  return {
    status: 200,
    headers: [
      ['content-type', call.form.encoding === 'yaml' ? 'application/yaml' : 'application/json'],
      ['cache-control', 'no-cache, private'],
      ...warningHeaders(call.warnings),
    ],
    body: new Watching(world, call, { selection, options }).open(version).body,
  };
}

type Parts = { readonly selection: Selection; readonly options: ListOptions };

class Watching {
  readonly #world: World;
  readonly #call: Call;
  readonly #selection: Selection;
  readonly #options: ListOptions;
  readonly #lines: WatchLines;

  constructor(world: World, call: Call, { selection, options }: Parts) {
    this.#world = world;
    this.#call = call;
    this.#selection = selection;
    this.#options = options;
    this.#lines = new WatchLines(world, call);
  }

  open(version: Revision | undefined): LineStream {
    const { store } = this.#world;
    const now = store.revision();
    const stream = openLines(this.#call.request.signal, this.#firstPieces(version, now));
    // A version to come: what happens until then is not told.
    const from = Math.max(now, version ?? 0);
    const subscribed = store.subscribe({ prefix: this.#backlog(now).prefix, from: now }, (event) => {
      if (event.revision > from) this.#tell(stream, event);
    });
    if (subscribed.kind !== 'subscribed') throw new Bug('the newest version is within reach');
    stream.whenClosed(() => subscribed.subscription.cancel());
    this.#limit(stream, subscribed.subscription);
    return stream;
  }

  /** Without a version the state as it is, as if it had all just come; else what has happened since. */
  #firstPieces(version: Revision | undefined, now: Revision): FirstPieces {
    const backlog = this.#backlog(now);
    if (version === undefined || version === 0) return statePieces(backlog);
    const since = this.#world.catalog.customOf(this.#call.resource)?.since ?? 0;
    const oldest = Math.max(since, this.#world.store.compactedRevision());
    if (version < oldest) return this.#expired(version, oldest);
    return historyPieces(backlog, Math.min(version, now));
  }

  *#expired(version: Revision, oldest: Revision): FirstPieces {
    yield this.#lines.expired(version, oldest);
    return 'over';
  }

  #backlog(now: Revision): Backlog {
    const { resource, info } = this.#call;
    const { name } = this.#selection;
    // One object has a key of its own, so that changes of others cost this watch nothing.
    const isOne = name !== undefined && (resource.scope === 'Cluster' || info.namespace !== '');
    return {
      store: this.#world.store,
      resource,
      selection: this.#selection,
      lines: this.#lines,
      prefix: isOne ? keyOf(resource, info.namespace, name) : prefixOf(resource, info.namespace),
      isOne,
      now,
    };
  }

  #tell(stream: LineStream, event: StoreEvent): void {
    const type = eventTypeFor(this.#call.resource, this.#selection, event);
    if (type === undefined) return;
    const size = (event.kind === 'put' ? event.value.length : 0) + (event.previous?.value.length ?? 0);
    stream.push({ sizeBytes: size, bytes: () => this.#lines.shared(type, event) });
  }

  /** Ends the watch in time, with bookmarks on the way where they are wanted. */
  #limit(stream: LineStream, subscription: Subscription): void {
    const { clock, random } = this.#world.env;
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
