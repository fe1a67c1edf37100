/** The lines of a watch: an event of the store as the client wants to see it. */

import type { JsonObject } from '../../../base/json.ts';
import { apiVersionOf } from '../../../kubernetes/meta/index.ts';
import type { Resource } from '../../resources/index.ts';
import { statusError } from '../../status/index.ts';
import type { Call, World } from '../call.ts';
import { joinBytes } from '../http/join-bytes.ts';
import { shownObject } from '../store/records.ts';
import type { Entry, Revision, StoreEvent } from '../store/store.ts';
import { storedParts } from '../store/stored-object.ts';
import { storedPrefix } from '../store/stored-prefix.ts';
import type { Selection } from './selection.ts';
import { transformedObject } from './transform.ts';

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** What an event is to those who see only what they selected; undefined where it is nothing to them. */
export function eventTypeFor(
  resource: Resource,
  selection: Selection,
  event: StoreEvent,
): EventType | undefined {
  const before = event.previous;
  if (selection.isAll) {
    return event.kind === 'delete' ? 'DELETED' : before === undefined ? 'ADDED' : 'MODIFIED';
  }
  const isMatch = (entry: Entry) =>
    selection.mayMatch(entry.value) && selection.matches(shownObject(resource, entry));
  const was = before !== undefined && isMatch(before);
  const is = event.kind === 'put' && isMatch(event);
  if (is) return was ? 'MODIFIED' : 'ADDED';
  // Who leaves the selection is shown as it was, at the version at which it left.
  return was ? 'DELETED' : undefined;
}

export class WatchLines {
  readonly #world: World;
  readonly #call: Call;
  #hasColumns = false;

  constructor(world: World, call: Call) {
    this.#world = world;
    this.#call = call;
  }

  /** The same bytes for all who want to see the event in the same form. */
  shared(type: EventType, event: StoreEvent): Uint8Array {
    const { form, resource } = this.#call;
    const entry = entryOf(type, event);
    if (form.as !== 'object' || form.encoding !== 'json') return this.line(type, entry);
    const known = sharedLines.get(event) ?? new Map<string, Uint8Array>();
    sharedLines.set(event, known);
    const key = `${type} ${apiVersionOf(resource)} ${resource.kind}`;
    const line = known.get(key) ?? this.line(type, entry);
    known.set(key, line);
    return line;
  }

  line(type: EventType, entry: Entry): Uint8Array {
    const { resource, form } = this.#call;
    if (form.as === 'object') {
      const prefix = storedPrefix(this.#world, resource, entry);
      if (prefix !== undefined) {
        const { head, rest } = storedParts(entry, prefix);
        return joinBytes([encoder.encode(`{"type":"${type}","object":${head}`), rest, LINE_END]);
      }
      return encoded({ type, object: shownObject(resource, entry) });
    }
    const withColumns = !this.#hasColumns;
    this.#hasColumns = true;
    const object = transformedObject(this.#world, this.#call, shownObject(resource, entry), { withColumns });
    return encoded({ type, object });
  }

  bookmark(revision: Revision): Uint8Array {
    const { resource, form } = this.#call;
    const object: JsonObject = {
      kind: resource.kind,
      apiVersion: apiVersionOf(resource),
      metadata: { resourceVersion: String(revision), creationTimestamp: null },
    };
    const shown =
      form.as === 'object'
        ? object
        : transformedObject(this.#world, this.#call, object, { withColumns: false });
    return encoded({ type: 'BOOKMARK', object: shown });
  }

  expired(version: Revision, oldest: Revision): Uint8Array {
    const message = `too old resource version: ${version} (${oldest})`;
    const { status } = statusError({ code: 410, reason: 'Expired', message });
    return encoded({ type: 'ERROR', object: status });
  }
}

const encoder = new TextEncoder();
const LINE_END = encoder.encode('}\n');

function encoded(line: object): Uint8Array {
  return encoder.encode(`${JSON.stringify(line)}\n`);
}

/** The lines of an event, by form: two hundred watchers of the same thing are sent the same bytes. */
const sharedLines = new WeakMap<StoreEvent, Map<string, Uint8Array>>();

function entryOf(type: EventType, event: StoreEvent): Entry {
  const { key, revision } = event;
  if (type !== 'DELETED' && event.kind === 'put') return { key, revision, value: event.value };
  return { key, revision, value: event.previous?.value ?? new Uint8Array() };
}
