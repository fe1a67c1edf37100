/** Encodes events of the store as lines of a watch. */

import type { JsonObject } from '../../../base/json.ts';
import { apiVersionOf } from '../../../kubernetes/meta/index.ts';
import type { Resource } from '../../resources/index.ts';
import { statusError } from '../../status/index.ts';
import type { Call } from '../call.ts';
import { joinBytes } from '../http/join-bytes.ts';
import type { ServerContext } from '../server-context.ts';
import { shownObject } from '../store/records.ts';
import type { Entry, Revision, StoreEvent } from '../store/store.ts';
import { storedParts } from '../store/stored-object.ts';
import { storedPrefix } from '../store/stored-prefix.ts';
import type { Selection } from './selection.ts';
import { transformedObject } from './transform.ts';

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** The type of an event under a selection; undefined if it is not selected. */
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
    selection.mayMatch(entry) && (!selection.needsObject || selection.matches(shownObject(resource, entry)));
  const was = before !== undefined && isMatch(before);
  const is = event.kind === 'put' && isMatch(event);
  if (is) return was ? 'MODIFIED' : 'ADDED';
  // An object that leaves the selection is shown in its last selected state, at the new version.
  return was ? 'DELETED' : undefined;
}

export class WatchEventEncoder {
  readonly #server: ServerContext;
  readonly #call: Call;
  #hasColumns = false;

  constructor(server: ServerContext, call: Call) {
    this.#server = server;
    this.#call = call;
  }

  /** Shared by all watches with the same format. */
  shared(type: EventType, event: StoreEvent): Uint8Array {
    const { format, resource } = this.#call;
    const entry = entryOf(type, event);
    if (format.as !== 'object' || format.encoding !== 'json') return this.line(type, entry);
    const known = sharedLines.get(event) ?? new Map<string, Uint8Array>();
    sharedLines.set(event, known);
    const key = `${type} ${apiVersionOf(resource)} ${resource.kind}`;
    const line = known.get(key) ?? this.line(type, entry);
    known.set(key, line);
    return line;
  }

  line(type: EventType, entry: Entry): Uint8Array {
    const { resource, format } = this.#call;
    if (format.as === 'object') {
      const prefix = storedPrefix(this.#server, resource, entry);
      if (prefix !== undefined) {
        const { head, rest } = storedParts(entry, prefix);
        return joinBytes([encoder.encode(`{"type":"${type}","object":${head}`), rest, LINE_END]);
      }
      return encoded({ type, object: shownObject(resource, entry) });
    }
    const withColumns = !this.#hasColumns;
    this.#hasColumns = true;
    const object = transformedObject(this.#server, this.#call, shownObject(resource, entry), { withColumns });
    return encoded({ type, object });
  }

  bookmark(revision: Revision): Uint8Array {
    const { resource, format } = this.#call;
    const object: JsonObject = {
      kind: resource.kind,
      apiVersion: apiVersionOf(resource),
      metadata: { resourceVersion: String(revision), creationTimestamp: null },
    };
    const shown =
      format.as === 'object'
        ? object
        : transformedObject(this.#server, this.#call, object, { withColumns: false });
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

/** Encoded events by format: hundreds of watches of the same objects send the same bytes. */
const sharedLines = new WeakMap<StoreEvent, Map<string, Uint8Array>>();

function entryOf(type: EventType, event: StoreEvent): Entry {
  const { key, revision } = event;
  if (type !== 'DELETED' && event.kind === 'put') return { key, revision, value: event.value };
  return { key, revision, value: event.previous?.value ?? new Uint8Array() };
}
