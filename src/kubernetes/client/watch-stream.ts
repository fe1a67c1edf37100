/**
 * A watch: the changes of the objects of a selection after a version, for as long as the connection lasts.
 *
 *     chunks of bytes ──> lines ──> events          silence: the watch is aborted
 *
 * It ends where the server ends it, normally at its timeout. Errors are thrown: a refusal as a `KubeError`, everything else
 * as a transient `Failure`. Events before the error have been yielded.
 */

import type { Env } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import { isObject, own } from '../../base/json.ts';
import { onAbort } from '../../base/waiting.ts';
import { apiVersionOf } from '../meta/index.ts';
import type { AnyResource, Selection } from './kube.ts';
import { type KubeError, statusError } from './kube-error.ts';
import { LineSplitter } from './line-splitter.ts';
import { collectionPath, queryText } from './paths.ts';
import { piecesUntil } from './pieces-until.ts';
import { type RawObject, rawObject } from './raw-object.ts';
import type { Requests } from './requests.ts';

export type WatchEvent =
  /** `put`: added or modified. */
  | { readonly kind: 'put' | 'delete'; readonly object: RawObject }
  /** A bookmark: no further changes up to this version. */
  | { readonly kind: 'bookmark'; readonly resourceVersion: string }
  | { readonly kind: 'error'; readonly error: KubeError };

type WatchAsk = {
  readonly resource: AnyResource;
  readonly selection: Selection;
  readonly resourceVersion: string;
  /** After this time the server ends the watch. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
};

/** The server should end a watch at its timeout; this long after it, the client does. */
const END_MARGIN_MS = 30_000;
/** Bookmarks come about every minute. After one, a silence of this length means that the connection is dead. */
const MAX_SILENCE_MS = 4 * 60_000;

/**
 * Yields the events of each chunk together: one turn of the loop per event would cost more than the event. The first yield
 * is empty and means that the server has accepted the watch.
 */
export async function* openWatch(
  requests: Requests,
  { clock }: Pick<Env, 'clock'>,
  ask: WatchAsk,
): AsyncGenerator<readonly WatchEvent[]> {
  const { resource, selection, resourceVersion, timeoutSeconds } = ask;
  const ended = new AbortController();
  // Without a reason the platform makes an error with a stack, which nothing reads.
  const stop = () => ended.abort(ENDED);
  const liveness = new Liveness(clock, timeoutSeconds * 1000 + END_MARGIN_MS, stop);
  const forget = onAbort(ask.signal, stop);
  try {
    if (ask.signal.aborted) return;
    const response = await requests.open({
      method: 'GET',
      path: collectionPath(resource, selection.namespace),
      query: queryText({
        ...{ labelSelector: selection.labelSelector, fieldSelector: selection.fieldSelector },
        ...{ watch: 'true', allowWatchBookmarks: 'true', resourceVersion, timeoutSeconds },
      }),
      signal: ended.signal,
    });
    yield [];
    yield* eventsOf(piecesUntil(response.body, ended.signal), resource, liveness);
    liveness.check();
  } finally {
    forget();
    liveness.end();
    stop();
  }
}

const ENDED = 'the watch has ended';

async function* eventsOf(
  pieces: AsyncIterable<Uint8Array>,
  resource: AnyResource,
  liveness: Liveness,
): AsyncGenerator<readonly WatchEvent[]> {
  const splitter = new LineSplitter();
  const type = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  for await (const piece of pieces) {
    liveness.heard();
    const events: WatchEvent[] = [];
    for (const line of splitter.push(piece)) {
      const event = eventOf(line, type);
      if (event === undefined) {
        yield events;
        throw new Failure('transient', 'GarbledWatch', 'the watch holds a line that is no event');
      }
      if (event.kind === 'bookmark') liveness.expectBookmarks();
      events.push(event);
    }
    if (events.length > 0) yield events;
  }
  // An incomplete line is dropped: the next watch sends it again.
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function eventOf(line: Uint8Array, type: Parameters<typeof rawObject>[1]): WatchEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(line));
  } catch {
    return undefined;
  }
  const content = isObject(value) ? own(value, 'object') : undefined;
  if (!isObject(value) || !isObject(content)) return undefined;
  switch (own(value, 'type')) {
    case 'ADDED':
    case 'MODIFIED':
      return change('put', rawObject(content, type));
    case 'DELETED':
      return change('delete', rawObject(content, type));
    case 'BOOKMARK':
      return bookmark(content);
    case 'ERROR':
      return { kind: 'error', error: statusError(content) };
    default:
      return undefined;
  }
}

function change(kind: 'put' | 'delete', object: RawObject | undefined): WatchEvent | undefined {
  return object === undefined ? undefined : { kind, object };
}

/** A bookmark is an object with only a version. */
function bookmark(content: { readonly [key: string]: unknown }): WatchEvent | undefined {
  const metadata = own(content, 'metadata');
  const resourceVersion = isObject(metadata) ? own(metadata, 'resourceVersion') : undefined;
  return typeof resourceVersion === 'string' ? { kind: 'bookmark', resourceVersion } : undefined;
}

/** Aborts a watch that exceeds its timeout, or is silent although bookmarks are due. */
class Liveness {
  readonly #clock: Env['clock'];
  readonly #giveUp: () => void;
  readonly #deadline: { cancel(): void };
  #silence: { cancel(): void } | undefined;
  #heardAt: number;
  #problem: string | undefined;

  constructor(clock: Env['clock'], lifeMs: number, giveUp: () => void) {
    this.#clock = clock;
    this.#giveUp = giveUp;
    this.#heardAt = clock.monotonic();
    this.#deadline = clock.after(lifeMs, () => this.#abandon('the server did not end the watch in time'));
  }

  heard(): void {
    this.#heardAt = this.#clock.monotonic();
  }

  expectBookmarks(): void {
    if (this.#silence === undefined) this.#listen(MAX_SILENCE_MS);
  }

  /** Throws where the client ended the watch. */
  check(): void {
    if (this.#problem !== undefined) throw new Failure('transient', 'SilentWatch', this.#problem);
  }

  end(): void {
    this.#deadline.cancel();
    this.#silence?.cancel();
  }

  /** One timer at a time, reset only when it fires: a busy watch would set thousands. */
  #listen(forMs: number): void {
    this.#silence = this.#clock.after(forMs, () => {
      const quietMs = this.#clock.monotonic() - this.#heardAt;
      if (quietMs >= MAX_SILENCE_MS) this.#abandon('the watch has fallen silent');
      else this.#listen(MAX_SILENCE_MS - quietMs);
    });
  }

  #abandon(problem: string): void {
    this.#problem = problem;
    this.#giveUp();
  }
}
