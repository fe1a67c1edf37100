/**
 * All objects of a selection, page by page. Only one page is held as text at a time, and objects are transformed before the
 * next page is read.
 */

import { Failure } from '../../base/errors.ts';
import { isObject, own } from '../../base/json.ts';
import { apiVersionOf } from '../meta/index.ts';
import type { AnyObject, AnyResource, Selection } from './kube.ts';
import { isExpired } from './kube-error.ts';
import { collectionPath, queryText } from './paths.ts';
import { type RawObject, rawObject } from './raw-object.ts';
import type { Requests } from './requests.ts';

const PAGE_ITEMS = 500;
/** A list with more pages is treated as endless. */
const MAX_PAGES = 10_000;

type ListAsk<R> = {
  readonly resource: AnyResource;
  readonly selection: Selection;
  /** Applied to each object. */
  readonly keep: (object: RawObject) => R;
  readonly signal?: AbortSignal;
};

type ListedAs<R> = { readonly items: readonly R[]; readonly resourceVersion: string };

/**
 * A consistent read of the present state. The version of a list that takes too long expires; then it is read once more in
 * one request.
 */
export async function listAll<R>(requests: Requests, ask: ListAsk<R>): Promise<ListedAs<R>> {
  try {
    return await listPages(requests, ask, PAGE_ITEMS);
  } catch (error) {
    if (!isExpired(error)) throw error;
    return await listPages(requests, ask, undefined);
  }
}

async function listPages<R>(
  requests: Requests,
  { resource, selection, keep, signal }: ListAsk<R>,
  limit: number | undefined,
): Promise<ListedAs<R>> {
  const path = collectionPath(resource, selection.namespace);
  const { labelSelector, fieldSelector } = selection;
  const items: R[] = [];
  let from: string | undefined;
  for (let pages = 1; pages <= MAX_PAGES; pages++) {
    const query = queryText({ labelSelector, fieldSelector, limit, continue: from });
    const answer = await requests.ask({
      method: 'GET',
      path,
      query,
      ...(signal === undefined ? {} : { signal }),
    });
    const page = pageOf(answer, resource);
    if (page === undefined) throw new Failure('transient', 'BadAnswer', `GET ${path}: the answer is no list`);
    for (const object of page.items) items.push(keep(object));
    if (page.next === '') return { items, resourceVersion: page.resourceVersion };
    from = page.next;
  }
  throw new Failure('transient', 'BadAnswer', `GET ${path}: the list has no end`);
}

type Page = { readonly items: readonly RawObject[]; readonly resourceVersion: string; readonly next: string };

function pageOf(answer: unknown, resource: AnyResource): Page | undefined {
  const metadata = isObject(answer) ? own(answer, 'metadata') : undefined;
  if (!isObject(answer) || !isObject(metadata)) return undefined;
  // Go encodes an empty list as null.
  const items = own(answer, 'items') ?? [];
  const resourceVersion = own(metadata, 'resourceVersion') ?? '';
  const next = own(metadata, 'continue') ?? '';
  if (!Array.isArray(items) || typeof resourceVersion !== 'string' || typeof next !== 'string')
    return undefined;
  const type = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  const objects: RawObject[] = [];
  for (const item of items as readonly unknown[]) {
    const object = rawObject(item, type);
    if (object === undefined) return undefined;
    objects.push(object);
  }
  return { items: objects, resourceVersion, next };
}

/** An object with the type of its resource. */
export function typed<T extends AnyObject>(object: RawObject): T {
  // The server validates objects against the schema from which T is inferred.
  return object as AnyObject as T;
}
