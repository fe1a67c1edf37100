/**
 * `GET` of a collection: whole or in pages, at the latest revision or an earlier one.
 *
 * Without a selector or a transformation, objects are sent as the bytes of the store.
 */

import type { JsonObject } from '../../../base/json.ts';
import { apiVersionOf } from '../../../kubernetes/meta/index.ts';
import type { Resource } from '../../resources/index.ts';
import { badRequest, statusError } from '../../status/index.ts';
import type { Call } from '../call.ts';
import type { Response } from '../http/http.ts';
import { joinBytes } from '../http/join-bytes.ts';
import { bytesResponse, jsonResponse, wantsIndent } from '../response.ts';
import type { ServerContext } from '../server-context.ts';
import { isShownAsStored, prefixOf, shownObject } from '../store/records.ts';
import type { Entry, OutOfReach, Revision } from '../store/store.ts';
import { storedParts } from '../store/stored-object.ts';
import { customPrefix } from '../store/stored-prefix.ts';
import { type ContinueToken, decodeToken, encodeToken } from './continue-token.ts';
import type { ListMetadata } from './list-metadata.ts';
import { type ListOptions, parseVersion } from './query-options.ts';
import { type Selection, selectedKey, selectionOf } from './selection.ts';
import { transformedList } from './transform.ts';

export function listObjects(server: ServerContext, call: Call, options: ListOptions): Response {
  const { resource, info, format, request, warnings } = call;
  const selection = selectionOf(resource, options);
  const found = findEntries(server, resource, { namespace: info.namespace, options, selection });
  const metadata = listMetadata(resource, found);
  const listKind = { kind: resource.listKind ?? `${resource.kind}List`, apiVersion: apiVersionOf(resource) };
  const objects = () => found.entries.map((entry) => entry.object ?? shownObject(resource, entry));
  if (format.as !== 'object') {
    return jsonResponse(200, transformedList(server, call, objects(), metadata), {
      request,
      format,
      warnings,
    });
  }
  if (format.encoding !== 'json' || wantsIndent(request)) {
    const items = objects().map((object) => listItem(resource, object));
    return jsonResponse(200, { ...listKind, metadata, items } as JsonObject, { request, format, warnings });
  }
  const head = `${JSON.stringify({ ...listKind, metadata }).slice(0, -1)},"items":[`;
  const body = listBytes(head, found.entries, (entry) => itemBytes(server, resource, entry));
  return bytesResponse(200, body, 'application/json', { request, warnings });
}

type FoundEntry = Entry & { readonly object?: JsonObject };

type Found = {
  readonly entries: readonly FoundEntry[];
  readonly revision: Revision;
  readonly next: string | undefined;
  readonly remaining: number | undefined;
};

type Search = {
  readonly namespace: string;
  readonly options: ListOptions;
  readonly selection: Selection;
};

/** Objects read at a time when a selector filters them. */
const CHUNK = 1000;

export function findEntries(server: ServerContext, resource: Resource, search: Search): Found {
  const { namespace, options, selection } = search;
  const prefix = prefixOf(resource, namespace);
  const key = selectedKey(resource, namespace, selection);
  if (key !== undefined) return findOne(server, resource, { key, ...search });
  const start = startOf(server, options);
  // Version 0 allows any version: kube-apiserver answers it from its watch cache, which ignores limits.
  const limit = options.resourceVersion === '0' ? 0 : options.limit;
  const entries: FoundEntry[] = [];
  let after = start.after === undefined ? undefined : `${prefix}${start.after}`;
  for (;;) {
    const wanted = limit === 0 ? undefined : selection.isAll ? limit - entries.length : CHUNK;
    const page = server.store.range({
      prefix,
      ...(after === undefined ? {} : { after }),
      ...(wanted === undefined ? {} : { limit: wanted }),
      ...(start.revision === undefined ? {} : { revision: start.revision }),
    });
    if (page.kind !== 'page') throw outOfReach(page, options, start);
    for (const [index, entry] of page.entries.entries()) {
      const selected = selectedEntry(resource, selection, entry);
      if (selected === undefined) continue;
      entries.push(selected);
      if (limit === 0 || entries.length < limit) continue;
      const left = page.entries.length - index - 1 + page.remaining;
      const token = { revision: page.revision, after: entry.key.slice(prefix.length) };
      return {
        entries,
        revision: page.revision,
        next: left === 0 ? undefined : encodeToken(token),
        remaining: selection.isAll ? left : undefined,
      };
    }
    after = page.entries.at(-1)?.key;
    if (page.remaining === 0 || after === undefined) {
      return { entries, revision: page.revision, next: undefined, remaining: undefined };
    }
  }
}

/** kube-apiserver reads the one key too, so there are no further pages. */
function findOne(
  server: ServerContext,
  resource: Resource,
  search: Search & { readonly key: string },
): Found {
  const { namespace, options, selection, key } = search;
  const start = startOf(server, options);
  const page = server.store.range({
    prefix: key,
    limit: 1,
    counts: 'whether',
    ...(start.after === undefined ? {} : { after: `${prefixOf(resource, namespace)}${start.after}` }),
    ...(start.revision === undefined ? {} : { revision: start.revision }),
  });
  if (page.kind !== 'page') throw outOfReach(page, options, start);
  const entries = page.entries
    .map((entry) => selectedEntry(resource, selection, entry))
    .filter((entry) => entry !== undefined);
  return { entries, revision: page.revision, next: undefined, remaining: undefined };
}

function selectedEntry(resource: Resource, selection: Selection, entry: Entry): FoundEntry | undefined {
  if (!selection.mayMatch(entry)) return undefined;
  if (!selection.needsObject) return entry;
  const object = shownObject(resource, entry);
  return selection.matches(object) ? { ...entry, object } : undefined;
}

type Start = { readonly revision: Revision | undefined; readonly after: string | undefined };

function startOf(server: ServerContext, options: ListOptions): Start {
  const version = parseVersion(options.resourceVersion, true);
  if (options.continue !== '') {
    if (version !== undefined && version !== 0) {
      throw badRequest('specifying resource version is not allowed when using continue');
    }
    const token = decodeToken(options.continue);
    return { revision: token.revision < 0 ? undefined : token.revision, after: token.after };
  }
  if (version === undefined || version === 0) return { revision: undefined, after: undefined };
  if (version > server.store.revision()) throw tooLarge(version, server.store.revision());
  const isExact =
    options.resourceVersionMatch === 'Exact' || (options.resourceVersionMatch === '' && options.limit > 0);
  return { revision: isExact ? version : undefined, after: undefined };
}

export function tooLarge(version: number, current: Revision): Error {
  return statusError({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${version}, current: ${current}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });
}

const EXPIRED_TOKEN =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

function outOfReach(reach: OutOfReach, options: ListOptions, { after }: Start): Error {
  if (reach.kind === 'future') return tooLarge(Number(options.resourceVersion), reach.revision);
  if (options.continue === '' || after === undefined) {
    const message = 'The resourceVersion for the provided list is too old.';
    return statusError({ code: 410, reason: 'Expired', message });
  }
  const token: ContinueToken = { revision: -1, after };
  const expired = statusError({ code: 410, reason: 'Expired', message: EXPIRED_TOKEN });
  Object.assign(expired.status, { metadata: { continue: encodeToken(token) } });
  return expired;
}

/** Lists of custom resources always have the field `continue`. */
export function listMetadata({ origin }: Resource, { revision, next, remaining }: Found): ListMetadata {
  const ending = next ?? (origin === 'custom' ? '' : undefined);
  return {
    ...(ending === undefined ? {} : { continue: ending }),
    ...(remaining === undefined || next === undefined ? {} : { remainingItemCount: remaining }),
    resourceVersion: String(revision),
  };
}

type Item = { readonly head: string; readonly rest: Uint8Array };

/** Joins the bytes of the store: a large list is copied only once. */
function listBytes(head: string, entries: readonly FoundEntry[], itemOf: (entry: FoundEntry) => Item) {
  const pieces: Uint8Array[] = [];
  let before = head;
  for (const entry of entries) {
    const item = itemOf(entry);
    pieces.push(encoder.encode(before + item.head), item.rest);
    before = ',';
  }
  pieces.push(encoder.encode(entries.length === 0 ? `${head}]}\n` : ']}\n'));
  return joinBytes(pieces);
}

const encoder = new TextEncoder();

function itemBytes(server: ServerContext, resource: Resource, entry: FoundEntry): Item {
  const isCustom = resource.origin === 'custom';
  const prefix = isCustom
    ? customPrefix(server, resource, entry)
    : isShownAsStored(resource)
      ? ''
      : undefined;
  if (prefix !== undefined) return storedParts(entry, prefix);
  const object = entry.object ?? shownObject(resource, entry);
  return { head: '', rest: encoder.encode(JSON.stringify(listItem(resource, object))) };
}

/** Items of built-in kinds have no kind and version of their own. */
export function listItem({ origin }: Resource, object: JsonObject): JsonObject {
  if (origin === 'custom') return object;
  const { kind: _, apiVersion: __, ...rest } = object;
  return rest;
}
