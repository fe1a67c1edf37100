/**
 * `GET` of a collection with `watch`: what happens to its objects, line by line, until one side has had enough.
 *
 *     store ──> subscription ──> event as a line (made once for all who want the same form) ──> buffer ──> client
 *
 * A client that does not keep up is cut off: it can begin again from the version it knows.
 */
import { apiVersionOf } from '../api/index.ts';
import type { JsonObject } from '../json.ts';
import type { Call, World } from './call.ts';
import type { Response } from './http.ts';
import { type LineStream, openLines } from './line-stream.ts';
import { customText, findEntries } from './list.ts';
import { type ListOptions, parseVersion } from './query-options.ts';
import { isShownAsStored, keyOf, prefixOf, shownObject } from './records.ts';
import { refusal } from './refusal.ts';
import { type Selection, selectionOf } from './selection.ts';
import type { Entry, Revision, StoreEvent, Subscription } from './store.ts';
import { objectText } from './stored-object.ts';
import { transformedObject } from './transform.ts';

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** Without a limit from the client a watch lasts between one and two of these. */
const DEFAULT_WATCH_MS = 30 * 60_000;
const BOOKMARK_INTERVAL_MS = 60_000;
/** A last bookmark comes this long before the end, so that it is seen. */
const LAST_BOOKMARK_MS = 2_000;

export function watchObjects(world: World, call: Call, options: ListOptions): Response {
  const selection = selectionOf(call.resource, options);
  const version = parseVersion(options.resourceVersion, true);
  const lines = openLines(call.request.signal);
  const watch = new Watching(world, call, { selection, lines, options });
  watch.start(version);
  return {
    status: 200,
    headers: [
      ['content-type', call.form.encoding === 'yaml' ? 'application/yaml' : 'application/json'],
      ['cache-control', 'no-cache, private'],
    ],
    body: lines.body,
  };
}

type Parts = {
  readonly selection: Selection;
  readonly lines: LineStream;
  readonly options: ListOptions;
};

class Watching {
  readonly #world: World;
  readonly #call: Call;
  readonly #selection: Selection;
  readonly #lines: LineStream;
  readonly #options: ListOptions;
  #hasColumns = false;
  #subscription: Subscription | undefined;

  constructor(world: World, call: Call, { selection, lines, options }: Parts) {
    this.#world = world;
    this.#call = call;
    this.#selection = selection;
    this.#lines = lines;
    this.#options = options;
  }

  start(version: Revision | undefined): void {
    const from = version === undefined || version === 0 ? this.#tellState() : version;
    const { store } = this.#world;
    const since = this.#world.catalog.customOf(this.#call.resource)?.since ?? 0;
    if (from < since && version !== undefined && version !== 0) {
      this.#expire(from, since);
      return;
    }
    const prefix = this.#prefix();
    // A version to come: what happens until then is not told.
    const start = Math.min(from, store.revision());
    const subscribed = store.subscribe({ prefix, from: start }, (event) => {
      if (event.revision > from) this.#tell(event);
    });
    if (subscribed.kind !== 'subscribed') {
      this.#expire(from, subscribed.kind === 'compacted' ? subscribed.compactedRevision : store.revision());
      return;
    }
    this.#subscription = subscribed.subscription;
    this.#lines.whenClosed(() => subscribed.subscription.cancel());
    this.#limit();
  }

  /** The state as it is, as if it had all just come; gives the version of it. */
  #tellState(): Revision {
    const { resource, info } = this.#call;
    const options = { ...this.#options, limit: 0, continue: '', resourceVersion: '' };
    const search = { namespace: info.namespace, options, selection: this.#selection };
    const found = findEntries(this.#world, resource, search);
    for (const entry of found.entries) this.#write('ADDED', entry);
    return found.revision;
  }

  /** One object has a key of its own, so that changes of others cost this watch nothing. */
  #prefix(): string {
    const { resource, info } = this.#call;
    const { name } = this.#selection;
    const isOne = name !== undefined && (resource.scope === 'Cluster' || info.namespace !== '');
    return isOne ? keyOf(resource, info.namespace, name) : prefixOf(resource, info.namespace);
  }

  #tell(event: StoreEvent): void {
    const { resource } = this.#call;
    const before = event.previous;
    if (this.#selection.isAll) {
      const type = event.kind === 'delete' ? 'DELETED' : before === undefined ? 'ADDED' : 'MODIFIED';
      this.#writeShared(type, event);
      return;
    }
    const was = before !== undefined && this.#selection.matches(shownObject(resource, before));
    const is = event.kind === 'put' && this.#selection.matches(shownObject(resource, event));
    if (is) this.#writeShared(was ? 'MODIFIED' : 'ADDED', event);
    // Who leaves the selection is shown as it was, at the version at which it left.
    else if (was) this.#writeShared('DELETED', event);
  }

  #writeShared(type: EventType, event: StoreEvent): void {
    const { form, resource } = this.#call;
    const isShared = form.as === 'object' && form.encoding === 'json';
    if (!isShared) {
      this.#write(type, entryOf(type, event));
      return;
    }
    const known = lines.get(event) ?? new Map<string, Uint8Array>();
    lines.set(event, known);
    const key = `${type} ${apiVersionOf(resource)} ${resource.kind}`;
    const line = known.get(key) ?? encoder.encode(this.#line(type, entryOf(type, event)));
    known.set(key, line);
    this.#lines.push(line);
  }

  #write(type: EventType, entry: Entry): void {
    this.#lines.push(encoder.encode(this.#line(type, entry)));
  }

  #line(type: EventType, entry: Entry): string {
    const { resource, form } = this.#call;
    if (form.as === 'object') {
      const prefix = `"kind":${JSON.stringify(resource.kind)},"apiVersion":${JSON.stringify(apiVersionOf(resource))},`;
      const text =
        resource.origin === 'custom'
          ? customText(this.#world, resource, entry)
          : isShownAsStored(resource)
            ? objectText(entry.value, entry.revision, prefix)
            : JSON.stringify(shownObject(resource, entry));
      return `{"type":"${type}","object":${text}}\n`;
    }
    const withColumns = !this.#hasColumns;
    this.#hasColumns = true;
    const object = transformedObject(this.#world, this.#call, shownObject(resource, entry), { withColumns });
    return `${JSON.stringify({ type, object })}\n`;
  }

  #bookmark(): void {
    const { resource } = this.#call;
    const revision = this.#subscription?.progress() ?? this.#world.store.revision();
    const object: JsonObject = {
      kind: resource.kind,
      apiVersion: apiVersionOf(resource),
      metadata: { resourceVersion: String(revision), creationTimestamp: null },
    };
    const { form } = this.#call;
    const shown =
      form.as === 'object'
        ? object
        : transformedObject(this.#world, this.#call, object, { withColumns: false });
    this.#lines.push(encoder.encode(`${JSON.stringify({ type: 'BOOKMARK', object: shown })}\n`));
  }

  #expire(version: Revision, oldest: Revision): void {
    const message = `too old resource version: ${version} (${oldest})`;
    const { status } = refusal({ code: 410, reason: 'Expired', message });
    this.#lines.push(encoder.encode(`${JSON.stringify({ type: 'ERROR', object: status })}\n`));
    this.#lines.end();
  }

  /** Ends the watch in time, with bookmarks on the way where they are wanted. */
  #limit(): void {
    const { clock, random } = this.#world.env;
    const { timeoutSeconds, allowsBookmarks } = this.#options;
    const isLimited = timeoutSeconds !== undefined && timeoutSeconds > 0;
    const lastsMs = isLimited ? timeoutSeconds * 1000 : DEFAULT_WATCH_MS * (1 + random.next());
    const end = clock.after(lastsMs, () => this.#lines.end());
    this.#lines.whenClosed(() => end.cancel());
    if (!allowsBookmarks) return;
    const last = clock.after(Math.max(0, lastsMs - LAST_BOOKMARK_MS), () => this.#bookmark());
    this.#lines.whenClosed(() => last.cancel());
    let next = clock.after(BOOKMARK_INTERVAL_MS, again);
    const lines = this.#lines;
    const bookmark = () => this.#bookmark();
    function again(): void {
      bookmark();
      next = clock.after(BOOKMARK_INTERVAL_MS, again);
    }
    lines.whenClosed(() => next.cancel());
  }
}

const encoder = new TextEncoder();

/** The lines of an event, by form: two hundred watchers of the same thing are sent the same bytes. */
const lines = new WeakMap<StoreEvent, Map<string, Uint8Array>>();

function entryOf(type: EventType, event: StoreEvent): Entry {
  const { key, revision } = event;
  if (type !== 'DELETED' && event.kind === 'put') return { key, revision, value: event.value };
  return { key, revision, value: event.previous?.value ?? new Uint8Array() };
}
