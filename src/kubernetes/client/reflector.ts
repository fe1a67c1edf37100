/**
 * Keeps a copy of the server's objects: lists once, then watches, each watch from where the last one ended.
 *
 *     list ──> watch ──(end, error, timeout, invalid data)──> wait ──> watch from the last version
 *      ^         │
 *      └─ wait ──┴── 410, permanent refusal, three watches in a row without progress
 *
 * The number of requests is bounded, whatever the server does: only a watch that has lasted resets the delays.
 */
import type { Env } from '../../base/env.ts';
import { Bug, errorText, Failure } from '../../base/errors.ts';
import { type Backoff, delayAfter, sleep } from '../../base/waiting.ts';
import { apiVersionOf } from '../meta/index.ts';
import type { AnyObject, AnyResource, Listed, Selection } from './kube.ts';
import { isExpired, KubeError } from './kube-error.ts';
import { listAll } from './list-all.ts';
import { keyOf, type RawObject } from './raw-object.ts';
import type { Requests } from './requests.ts';
import { isOlder } from './versions.ts';
import { openWatch, type WatchEvent } from './watch-stream.ts';

/** The store that a reflector fills. */
export interface ReflectorTarget<T extends AnyObject> {
  get(key: string): T | undefined;
  /** The object as it is stored. */
  prepare(raw: RawObject): T;
  /** Replaces all objects. */
  replace(objects: readonly T[]): void;
  put(object: T): void;
  remove(object: AnyObject): void;
}

export type ReflectorSettings = {
  /** The timeout of a watch is between these two, so that not all of them end at once. */
  readonly watchSeconds: { readonly min: number; readonly max: number };
  /** After a failure; the first one counts as 0. */
  readonly retry: Backoff;
  /** A watch that lasts this long counts as successful. */
  readonly healthyMs: number;
};

export const DEFAULT_REFLECTOR_SETTINGS: ReflectorSettings = {
  watchSeconds: { min: 300, max: 600 },
  retry: { baseMs: 1_000, factor: 2, capMs: 30_000, jitter: 0.5 },
  healthyMs: 10_000,
};

/** The number of watches in a row without progress before a new list. */
const MAX_FRUITLESS_WATCHES = 3;
/** The upper limit of the server's `Retry-After`. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;

type ReflectorOptions<T extends AnyObject> = {
  readonly requests: Requests;
  readonly env: Env;
  readonly resource: AnyResource;
  readonly selection: Selection;
  readonly target: ReflectorTarget<T>;
  /** The first list, where the caller has it already. */
  readonly from?: Listed<AnyObject> | undefined;
  /** Called after each list. */
  readonly onListed: () => void;
  /** Called when a watch has ended, and not because the process stops. */
  readonly onWatchEnded?: ((reason: 'ended' | 'expired' | 'failed') => void) | undefined;
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
  /** The version of the copy; undefined before the first list, and where a new one is needed. */
  #version: string | undefined;
  /** When the server accepted the present watch. */
  #openedAt: number | undefined;
  /** Since the last successful watch. */
  #failures = 0;
  /** Short watches in a row without progress. */
  #fruitless = 0;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
  }

  /** Resolves once the signal of its env is aborted. Rejects only with a `Bug`. */
  async run(): Promise<void> {
    const { env, from, onWatchEnded } = this.#options;
    const { clock, signal } = env;
    if (from !== undefined) this.#begin(from);
    while (!signal.aborted) {
      const version = this.#version;
      const end = version === undefined ? await this.#list() : await this.#watch(version);
      if (signal.aborted) return;
      if (version !== undefined && end.kind !== 'listed') onWatchEnded?.(end.kind);
      const delayMs = this.#delayAfter(end);
      if (delayMs > 0) await sleep(clock, { delayMs, signal });
    }
  }

  #begin({ items, resourceVersion }: Listed<AnyObject>): void {
    const { target, onListed, resource } = this.#options;
    const type = { apiVersion: apiVersionOf(resource), kind: resource.kind };
    target.replace(items.map((item) => target.prepare({ ...type, ...item })));
    this.#version = resourceVersion === '' ? undefined : resourceVersion;
    onListed();
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
        // Versions go back where a server was restored from a backup: then our copy is invalid.
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

  /** An unknown object that is older than the copy: it has been deleted since. */
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
    // The first expired version needs no delay: the server responds.
    if (end.kind === 'expired' && failures === 0) return 0;
    const delayMs = Math.max(delayAfter(settings.retry, failures, env.random), askedDelayMs(end));
    if (end.kind === 'failed') this.#report(end.error, { failures: failures + 1, delayMs });
    return delayMs;
  }

  /** One line per outage, however long it lasts. */
  #report(error: unknown, numbers: { readonly failures: number; readonly delayMs: number }): void {
    const { env, name } = this.#options;
    const fields = { cache: name, error: errorText(error), ...numbers };
    if (numbers.failures === 1) env.log.warn('cache lost its connection; retrying', fields);
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

/** A permanent refusal of this request: the same request would be refused again. */
function needsList(end: End): boolean {
  if (end.kind === 'expired') return true;
  return end.kind === 'failed' && end.error instanceof KubeError && end.error.kind === 'stalled';
}

function askedDelayMs(end: End): number {
  const error = end.kind === 'failed' ? end.error : undefined;
  return error instanceof KubeError ? Math.min(error.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS) : 0;
}
