/**
 * The cluster as our components see it: objects that can be read, followed and written, and nothing else.
 *
 * Objects are raw JSON with a TypeScript type laid over them: fields that we do not know survive every write. What is
 * read from a cache is frozen and must be copied to be changed.
 */
import type { ObjectMeta } from '../meta/index.ts';
import type { Schema, StructuralSchema } from '../schema/index.ts';

/** A resource as it is addressed. Kinds of `api` and resources of `builtin` both are one. */
export type ResourceOf<T> = AnyResource & { readonly schema: Schema<T> };
export type AnyResource = {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: 'Cluster' | 'Namespaced';
  readonly schema: StructuralSchema;
};

/** What every object has. */
export type AnyObject = {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
};

/** Where an object is. The namespace is absent for what has none. */
export type Place = { readonly name: string; readonly namespace?: string };

export type WriteOptions = {
  /** Who owns the fields that are written; the component's own name where nothing is said. */
  readonly fieldManager?: string;
  /** A further door of the object: `status`, `binding`. */
  readonly subresource?: string;
};

export type Selection = {
  /** One namespace; absent for all. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
};

export type Listed<T> = { readonly items: readonly T[]; readonly resourceVersion: string };

/** A patch, and the language it is written in. */
export type Patch =
  | { readonly type: 'merge' | 'strategic'; readonly body: object }
  | { readonly type: 'json'; readonly body: readonly object[] };

/**
 * What can be asked of the server directly. Everything rejects with a `KubeError` where the server refuses, and with a
 * transient `Failure` where it cannot be reached; neither is tried again here but for what the server asks to wait for.
 */
export interface Kube {
  /** Undefined where there is no such object. */
  get<T extends AnyObject>(resource: ResourceOf<T>, place: Place): Promise<T | undefined>;
  /** All of them, page by page. */
  list<T extends AnyObject>(resource: ResourceOf<T>, selection?: Selection): Promise<Listed<T>>;
  /** Where a subresource answers with no more than that it was done (`binding`), the object is given back as it was sent. */
  create<T extends AnyObject>(resource: ResourceOf<T>, object: T, options?: WriteOptions): Promise<T>;
  /** Replaces the object; its resourceVersion is the one that was read. */
  update<T extends AnyObject>(resource: ResourceOf<T>, object: T, options?: WriteOptions): Promise<T>;
  patch<T extends AnyObject>(
    resource: ResourceOf<T>,
    place: Place,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<T>;
  /** Server-side apply, with force: what a component applies belongs to it. */
  apply<T extends AnyObject>(
    resource: ResourceOf<T>,
    object: object & AnyObject,
    options?: WriteOptions,
  ): Promise<T>;
  /** False where there was nothing to delete. */
  delete<T extends AnyObject>(
    resource: ResourceOf<T>,
    place: Place,
    options?: DeleteOptions,
  ): Promise<boolean>;
  /** Asks a pod to go; see `Eviction`. */
  evict(place: Required<Place>, options?: EvictOptions): Promise<Eviction>;
}

export type DeleteOptions = {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  /** Only if it is still this one. */
  readonly uid?: string;
};

export type EvictOptions = Pick<DeleteOptions, 'gracePeriodSeconds' | 'uid'>;

/** `refused`: a disruption budget says not now. `gone`: there is no such pod (any more), or another of its name. */
export type Eviction =
  | { readonly kind: 'accepted' | 'gone' }
  | { readonly kind: 'refused'; readonly message: string; readonly retryAfterMs: number };

/** Objects of a resource, always nearly as new as the server's, indexed, frozen. */
export interface Cache<T extends AnyObject> {
  /** Resolves once all that there was at the start is here; rejects when the component stops before that. */
  readonly synced: Promise<void>;
  get(place: Place): T | undefined;
  /** In no order that may be relied on. */
  all(): Iterable<T>;
  /** The objects that the index files under the key. */
  by(index: string, key: string): readonly T[];
  /**
   * Called after the cache has changed: `before` is absent for what is new, `after` for what is gone, also where that was
   * only found out later. An object with another uid is another one: the first goes, then the second comes. Who begins to
   * listen late is told at once of all that is there, as if it were new.
   */
  onChange(listener: (change: Change<T>) => void): void;
}

export type Change<T> = { readonly before: T | undefined; readonly after: T | undefined };

export type CacheOptions<T> = Selection & {
  /** Under which keys an object is filed, by the name of the index. */
  readonly indexes?: { readonly [index: string]: (object: T) => readonly string[] };
  /**
   * Makes objects smaller before they are kept: what nobody reads should not take memory. It is given an object that it may
   * not change, without `managedFields`, and gives another.
   */
  readonly transform?: (object: T) => T;
  /** The cache is kept up only until then, and shared with nobody: for what is of interest for a while. */
  readonly until?: AbortSignal;
};

/** Makes one cache for what several ask of the same resource and selection, with the same transform (the very function). */
export interface Caches {
  of<T extends AnyObject>(resource: ResourceOf<T>, options?: CacheOptions<T>): Cache<T>;
}

/** What a reconciler gives back: that is all for now, or look again after a while. */
export type Next =
  | { readonly kind: 'done' }
  | { readonly kind: 'after'; readonly delayMs: number; readonly why: string };

export const done: Next = { kind: 'done' };

export function after(delayMs: number, why: string): Next {
  return { kind: 'after', delayMs, why };
}

/**
 * One kind of work. A key names what is to be looked at, never what happened to it; the same key is never worked on
 * twice at once. A rejected reconcile is tried again with growing delays.
 */
export type Controller = {
  /** In logs and metrics: `node`, `drain`. */
  readonly name: string;
  readonly workers: number;
  /** Says which keys to look at as objects change. Called once, before anything is reconciled. */
  readonly watch: (enqueue: Enqueue) => void;
  /** Caches that must be filled before the first reconcile. */
  readonly caches: readonly Cache<AnyObject>[];
  readonly reconcile: (key: string) => Promise<Next>;
};

/** With a delay the key is looked at no later than after it, and possibly earlier. */
export type Enqueue = (key: string, delayMs?: number) => void;

/** Events that people read (`kubectl get events`): what happened to an object. The same one again is counted. */
export interface EventRecorder {
  normal(about: EventSubject, reason: string, message: string): void;
  warning(about: EventSubject, reason: string, message: string): void;
}

export type EventSubject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
};
