/**
 * All objects of a selection, page by page, and what happens to them from then on.
 */

import { Failure } from '../../base/errors.ts';
import { isJsonObject, isObject, type Json, type JsonObject, own } from '../../base/json.ts';
import { listAt, stringAt } from '../../base/json-fields.ts';
import { waited } from '../../base/waiting.ts';
import { collectionPath, isExpired, LineSplitter, statusError } from '../../kubernetes/client/index.ts';
import type { ApiResource } from './api-resource.ts';
import type { ClusterSession } from './cluster-session.ts';

export type Scope = {
  readonly resource: ApiResource;
  /** Undefined for all, and for what lies in none. */
  readonly namespace: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** In which form; as JSON where nothing is said. */
  readonly accept?: string | undefined;
};

export type Listed = {
  /** The answers of the server, one or more. */
  readonly pages: readonly JsonObject[];
  readonly resourceVersion: string;
};

const PAGE_ITEMS = 500;
/** A list of more pages than this has no end. */
const MAX_PAGES = 10_000;

/** A list that takes so long that the server forgets where it began is asked for again, all at once. */
export async function listAll(session: ClusterSession, scope: Scope, signal?: AbortSignal): Promise<Listed> {
  try {
    return await listPages(session, scope, { limit: PAGE_ITEMS, signal });
  } catch (error) {
    if (!isExpired(error)) throw error;
    return await listPages(session, scope, { limit: undefined, signal });
  }
}

type PageOptions = { readonly limit: number | undefined; readonly signal: AbortSignal | undefined };

async function listPages(session: ClusterSession, scope: Scope, options: PageOptions): Promise<Listed> {
  const { limit, signal } = options;
  const pages: JsonObject[] = [];
  let from: string | undefined;
  while (pages.length < MAX_PAGES) {
    const query = { ...selectorsOf(scope), limit, continue: from };
    const { body } = await session.ask({ ...whereOf(scope), query, signal });
    const page = jsonObject(body);
    pages.push(page);
    from = stringAt(page, 'metadata', 'continue');
    if (from === '') return { pages, resourceVersion: stringAt(page, 'metadata', 'resourceVersion') };
  }
  throw new Failure('transient', 'BadAnswer', 'the list that the server sends has no end');
}

/** The objects of a list that was not asked for as a table. */
export function itemsOf({ pages }: Listed): readonly JsonObject[] {
  return pages.flatMap((page) => {
    // Go writes a list of nothing as null.
    const items: Json = page.items ?? [];
    return Array.isArray(items) ? items.filter(isJsonObject) : [];
  });
}

export type Change = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: JsonObject;
};

/** Between two connections of one watch, so that a server that ends each at once is not asked without pause. */
const RECONNECT_MS = 1_000;

/**
 * Goes on over any number of connections, until the signal is aborted. Throws a `KubeError` of code 410 where the server has
 * forgotten the version, and a transient `Failure` where it cannot be reached any more.
 */
export async function* watchChanges(
  session: ClusterSession,
  scope: Scope,
  { resourceVersion, signal }: { readonly resourceVersion: string; readonly signal: AbortSignal },
): AsyncGenerator<Change> {
  let version = resourceVersion;
  do {
    const query = {
      ...selectorsOf(scope),
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: version,
    };
    const pieces = await session.open({ ...whereOf(scope), query, signal });
    try {
      for await (const { type, object } of eventsIn(pieces)) {
        if (type === 'ERROR') throw statusError(object);
        version = versionOf(object) ?? version;
        if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') yield { type, object };
      }
    } catch (error) {
      // A connection may be cut while the server is well: the next one shows.
      if (!(error instanceof Failure) || error.reason !== 'Unreachable') throw error;
    }
  } while (await waited(session.clock, { delayMs: RECONNECT_MS, signal }));
}

async function* eventsIn(pieces: AsyncIterable<Uint8Array>) {
  const splitter = new LineSplitter();
  for await (const piece of pieces) {
    for (const line of splitter.push(piece)) {
      const event = eventOf(new TextDecoder().decode(line));
      if (event !== undefined) yield event;
    }
  }
}

function eventOf(line: string): { readonly type: string; readonly object: JsonObject } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Failure('transient', 'BadAnswer', 'the watch holds a line that is no event');
  }
  return isObject(value)
    ? { type: String(own(value, 'type')), object: jsonObject(own(value, 'object')) }
    : undefined;
}

/** Of an object, or of a table, which has it at the top or in its row. */
function versionOf(object: JsonObject): string | undefined {
  const lastRow = listAt(object, 'rows').at(-1);
  return (
    stringAt(object, 'metadata', 'resourceVersion') ||
    stringAt(lastRow, 'object', 'metadata', 'resourceVersion') ||
    undefined
  );
}

function whereOf({ resource, namespace, accept }: Scope) {
  return { path: collectionPath(resource, namespace), ...(accept === undefined ? {} : { accept }) };
}

function selectorsOf({ labelSelector, fieldSelector }: Scope) {
  return { labelSelector, fieldSelector };
}

/** What comes off the wire is JSON; something else than an object has no fields. */
export function jsonObject(value: unknown): JsonObject {
  return isObject(value) ? (value as JsonObject) : {};
}
