/**
 * Keeps a copy of what the server has: lists once, then follows by watches, each from where the last one ended.
 *
 *     list ──> watch ──(end, cut, silence, garbage)──> wait ──> watch from the last version
 *      ^         │
 *      └─ wait ──┴── 410, refused for good, three watches in a row that bring nothing on
 *
 * Whatever the server does, the number of requests is bounded: only a watch that has lasted makes the delays short again.
 */
import type { Env } from '../../base/env.ts';
import { Bug, errorText, Failure } from '../../base/errors.ts';
import { delayAfter, type RetryLadder, waited } from '../../base/waiting.ts';
import type { AnyObject, AnyResource, Selection } from './kube.ts';
import { isExpired, KubeError } from './kube-error.ts';
import { listAll } from './list-all.ts';
import { keyOf, type RawObject } from './raw-object.ts';
import type { Requests } from './requests.ts';
import { isOlder } from './versions.ts';
import { openWatch, type WatchEvent } from './watch-stream.ts';

/** What a reflector fills. */
export interface ReflectorTarget<T extends AnyObject> {
  get(key: string): T | undefined;
  /** What is kept of an object. */
  prepare(raw: RawObject): T;
  /** These and no others are there. */
  replace(objects: readonly T[]): void;
  put(object: T): void;
  remove(object: AnyObject): void;
}

export type ReflectorSettings = {
  /** A watch is asked for a time between these two, so that not all of them end at once. */
  readonly watchSeconds: { readonly min: number; readonly max: number };
  /** After a failure, the first of which counts as 0. */
  readonly retry: RetryLadder;
  /** A watch that lasts this long was a good one. */
  readonly healthyMs: number;
};

export const DEFAULT_REFLECTOR_SETTINGS: ReflectorSettings = {
  watchSeconds: { min: 300, max: 600 },
  retry: { baseMs: 1_000, factor: 2, capMs: 30_000, jitter: 0.5 },
  healthyMs: 10_000,
};

/** So many watches in a row may bring nothing on before everything is listed anew. */
const MAX_FRUITLESS_WATCHES = 3;
/** A server that asks for more patience than this is asked earlier all the same. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;

type ReflectorOptions<T extends AnyObject> = {
  readonly requests: Requests;
  readonly env: Env;
  readonly resource: AnyResource;
  readonly selection: Selection;
  readonly target: ReflectorTarget<T>;
  /** Called after each list. */
  readonly onListed: () => void;
  readonly settings: ReflectorSettings;
  /** In log lines. */
  readonly name: string;
};

/** How a list or a watch ended. */
type End =
  | { readonly kind: 'listed' | 'ended' | 'expired' }
  | { readonly kind: 'failed'; readonly error: unknown };

export class Reflector<T extends AnyObject> {
  readonly #options: ReflectorOptions<T>;
  /** What is known is that of this version; undefined before the first list, and when a new one is needed. */
  #version: string | undefined;
  /** When the server let the watch in that is open now. */
  #openedAt: number | undefined;
  /** Since the last watch that lasted. */
  #failures = 0;
  /** Watches in a row that were short and brought nothing on. */
  #fruitless = 0;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
  }

  /** Resolves once the signal of its env is aborted. Rejects for mistakes of ours alone. */
  async run(): Promise<void> {
    const { clock, signal } = this.#options.env;
    while (!signal.aborted) {
      const end = this.#version === undefined ? await this.#list() : await this.#watch(this.#version);
      if (signal.aborted) return;
      const delayMs = this.#delayAfter(end);
      if (delayMs > 0) await waited(clock, { delayMs, signal });
    }
  }

  async #list(): Promise<End> {
    const { requests, env, resource, selection, target, onListed } = this.#options;
    const { signal } = env;
    this.#openedAt = undefined;
    try {
      const keep = (raw: RawObject) => target.prepare(raw);
      const { items, resourceVersion } = await listAll(requests, { resource, selection, keep, signal });
      if (resourceVersion === '') throw new Failure('transient', 'BadAnswer', 'the list has no version');
      if (signal.aborted) return { kind: 'ended' };
      target.replace(items);
      this.#version = resourceVersion;
      onListed();
      return { kind: 'listed' };
    } catch (error) {
      return failed(error);
    }
  }

  async #watch(from: string): Promise<End> {
    this.#openedAt = undefined;
    const end = await this.#follow(from);
    if (this.#isHealthy()) this.#failures = 0;
    this.#fruitless = this.#version === from && !this.#isHealthy() ? this.#fruitless + 1 : 0;
    if (needsList(end) || this.#fruitless >= MAX_FRUITLESS_WATCHES) {
      this.#fruitless = 0;
      this.#version = undefined;
    }
    return end;
  }

  async #follow(from: string): Promise<End> {
    const { requests, env, resource, selection, settings } = this.#options;
    const { min, max } = settings.watchSeconds;
    const timeoutSeconds = Math.round(min + (max - min) * env.random.next());
    const ask = { resource, selection, resourceVersion: from, timeoutSeconds, signal: env.signal };
    try {
      for await (const events of openWatch(requests, env, ask)) {
        this.#openedAt ??= env.clock.monotonic();
        for (const event of events) this.#take(event);
      }
      return { kind: 'ended' };
    } catch (error) {
      return isExpired(error) ? { kind: 'expired' } : failed(error);
    }
  }

  #take(event: WatchEvent): void {
    const { target } = this.#options;
    switch (event.kind) {
      case 'put':
        if (!this.#isLate(event.object)) target.put(target.prepare(event.object));
        this.#advance(versionOf(event.object));
        return;
      case 'delete':
        target.remove(event.object);
        this.#advance(versionOf(event.object));
        return;
      case 'bookmark':
        // Versions go back where a server was restored from a copy: what we know is of a time that never was.
        if (isOlder(event.resourceVersion, this.#version ?? '')) {
          this.#version = undefined;
          throw new Failure('transient', 'VersionWentBack', 'the versions of the server have gone back');
        }
        this.#advance(event.resourceVersion);
        return;
      case 'error':
        throw event.error;
    }
  }

  /** An object that is not known, from before what is known: it has been deleted since. */
  #isLate(object: RawObject): boolean {
    const isKnown = this.#options.target.get(keyOf(object.metadata)) !== undefined;
    return !isKnown && isOlder(versionOf(object), this.#version ?? '');
  }

  #advance(version: string): void {
    if (version !== '' && !isOlder(version, this.#version ?? '')) this.#version = version;
  }

  #isHealthy(): boolean {
    const { env, settings } = this.#options;
    return this.#openedAt !== undefined && env.clock.monotonic() - this.#openedAt >= settings.healthyMs;
  }

  #delayAfter(end: End): number {
    const { env, settings } = this.#options;
    if (end.kind === 'listed' || (end.kind === 'ended' && this.#isHealthy())) return 0;
    const failures = this.#failures++;
    // The first time that a version has expired there is nothing to wait for: the server answers.
    if (end.kind === 'expired' && failures === 0) return 0;
    const delayMs = Math.max(delayAfter(settings.retry, failures, env.random), askedDelayMs(end));
    if (end.kind === 'failed') this.#report(end.error, { failures: failures + 1, delayMs });
    return delayMs;
  }

  /** One line for each trouble, however long it lasts. */
  #report(error: unknown, numbers: { readonly failures: number; readonly delayMs: number }): void {
    const { env, name } = this.#options;
    const fields = { cache: name, error: errorText(error), ...numbers };
    if (numbers.failures === 1) env.log.warn('a cache lost its server and tries again', fields);
    else env.log.debug('a cache is still without its server', fields);
  }
}

function versionOf({ metadata }: AnyObject): string {
  return metadata.resourceVersion ?? '';
}

function failed(error: unknown): End {
  if (error instanceof Bug) throw error;
  return { kind: 'failed', error };
}

/** What the server refuses for good it refuses again, unless it is asked for something else. */
function needsList(end: End): boolean {
  if (end.kind === 'expired') return true;
  return end.kind === 'failed' && end.error instanceof KubeError && end.error.kind === 'stalled';
}

function askedDelayMs(end: End): number {
  const error = end.kind === 'failed' ? end.error : undefined;
  return error instanceof KubeError ? Math.min(error.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS) : 0;
}
