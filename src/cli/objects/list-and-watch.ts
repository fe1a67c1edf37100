/**
 * Lists all objects of a scope page by page, and watches them from there.
 */

import { Failure } from '../../base/errors.ts';
import { isJsonObject, isObject, type Json, type JsonObject, own } from '../../base/json.ts';
import { listAt, stringAt } from '../../base/json-fields.ts';
import { sleep } from '../../base/waiting.ts';
import { collectionPath, isExpired, LineSplitter, statusError } from '../../kubernetes/client/index.ts';
import type { ApiResource } from './api-resource.ts';
import type { ClusterSession } from './cluster-session.ts';

export type Scope = {
  readonly resource: ApiResource;
  /** Undefined for all namespaces and for cluster-scoped resources. */
  readonly namespace: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Media type; default: JSON. */
  readonly accept?: string | undefined;
};

export type Listed = {
  /** The responses of the server, one or more. */
  readonly pages: readonly JsonObject[];
  readonly resourceVersion: string;
};

const PAGE_ITEMS = 500;
const MAX_PAGES = 10_000;

/** If the continue token expires, the list is requested again without pagination. */
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
    const { body } = await session.request({ ...whereOf(scope), query, signal });
    const page = jsonObject(body);
    pages.push(page);
    from = stringAt(page, 'metadata', 'continue');
    if (from === '') return { pages, resourceVersion: stringAt(page, 'metadata', 'resourceVersion') };
  }
  throw new Failure('transient', 'BadAnswer', 'the list of the server has too many pages');
}

/** The objects of a list that was not requested as a table. */
export function itemsOf({ pages }: Listed): readonly JsonObject[] {
  return pages.flatMap((page) => {
    // Go encodes an empty list as null.
    const items: Json = page.items ?? [];
    return Array.isArray(items) ? items.filter(isJsonObject) : [];
  });
}

export type Change = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: JsonObject;
};

/** Delay between connections of one watch, in case the server closes each immediately. */
const RECONNECT_MS = 1_000;

/**
 * Reconnects until the signal is aborted. Throws a `KubeError` with code 410 if the resource version has expired, and a
 * transient `Failure` if the server is unreachable.
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
    const pieces = await session.stream({ ...whereOf(scope), query, signal });
    try {
      for await (const { type, object } of eventsIn(pieces)) {
        if (type === 'ERROR') throw statusError(object);
        version = versionOf(object) ?? version;
        if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') yield { type, object };
      }
    } catch (error) {
      // The connection was cut; the next attempt shows whether the server is reachable.
      if (!(error instanceof Failure) || error.reason !== 'Unreachable') throw error;
    }
  } while (await sleep(session.clock, { delayMs: RECONNECT_MS, signal }));
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
    throw new Failure('transient', 'BadAnswer', 'the watch contains a line that is not an event');
  }
  return isObject(value)
    ? { type: String(own(value, 'type')), object: jsonObject(own(value, 'object')) }
    : undefined;
}

/** Of an object, or of a table, which has it in its metadata or in its row. */
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

/** The value as an object; anything else has no fields. */
export function jsonObject(value: unknown): JsonObject {
  return isObject(value) ? (value as JsonObject) : {};
}
