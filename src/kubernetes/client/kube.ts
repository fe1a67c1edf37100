/**
 * The interface of the client: objects that can be read, watched and written.
 *
 * Objects are raw JSON with a TypeScript type: unknown fields survive every write. Objects of a cache are frozen and must
 * be copied to be changed.
 */
import type { ObjectMeta } from '../meta/index.ts';
import type { Schema, StructuralSchema } from '../schema/index.ts';

/** A resource of the API. Kinds of `api` and of `kubernetes/types` both are one. */
export type ResourceOf<T> = AnyResource & { readonly schema: Schema<T> };
export type AnyResource = {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: 'Cluster' | 'Namespaced';
  readonly schema: StructuralSchema;
};

/** The fields of every object. */
export type AnyObject = {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
};

/** The name and namespace of an object. The namespace is absent for cluster-scoped ones. */
export type ObjectKey = { readonly name: string; readonly namespace?: string };

export type WriteOptions = {
  /** The owner of the written fields; the component's name by default. */
  readonly fieldManager?: string;
  /** A subresource: `status`, `binding`. */
  readonly subresource?: string;
};

export type Selection = {
  /** One namespace; absent for all. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
};

export type Listed<T> = { readonly items: readonly T[]; readonly resourceVersion: string };

/** A patch and its type. */
export type Patch =
  | { readonly type: 'merge' | 'strategic'; readonly body: object }
  | { readonly type: 'json'; readonly body: readonly object[] };

/**
 * Requests to the server. All reject with a `KubeError` where the server refuses, and with a transient `Failure` where it
 * cannot be reached; requests are repeated only where the server sets `Retry-After`.
 */
export interface Kube {
  /** Undefined where there is no such object. */
  get<T extends AnyObject>(resource: ResourceOf<T>, place: ObjectKey): Promise<T | undefined>;
  /** All of them, page by page. */
  list<T extends AnyObject>(resource: ResourceOf<T>, selection?: Selection): Promise<Listed<T>>;
  /** Returns the object as it was sent where the response of a subresource (`binding`) is only a Status. */
  create<T extends AnyObject>(resource: ResourceOf<T>, object: T, options?: WriteOptions): Promise<T>;
  /** Replaces the object with the given resourceVersion. */
  update<T extends AnyObject>(resource: ResourceOf<T>, object: T, options?: WriteOptions): Promise<T>;
  patch<T extends AnyObject>(
    resource: ResourceOf<T>,
    place: ObjectKey,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<T>;
  /** Server-side apply, with force. */
  apply<T extends AnyObject>(
    resource: ResourceOf<T>,
    object: object & AnyObject,
    options?: WriteOptions,
  ): Promise<T>;
  /** False where the object did not exist. */
  delete<T extends AnyObject>(
    resource: ResourceOf<T>,
    place: ObjectKey,
    options?: DeleteOptions,
  ): Promise<boolean>;
  /** Evicts a pod; see `Eviction`. */
  evict(place: Required<ObjectKey>, options?: EvictOptions): Promise<Eviction>;
}

export type DeleteOptions = {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  /** A precondition: only this very object. */
  readonly uid?: string;
  /** A precondition: only in this version. */
  readonly resourceVersion?: string;
};

export type EvictOptions = Pick<DeleteOptions, 'gracePeriodSeconds' | 'uid'>;

/** `refused`: by a disruption budget, for now. `gone`: the pod does not exist, or another one has its name. */
export type Eviction =
  | { readonly kind: 'accepted' | 'gone' }
  | { readonly kind: 'refused'; readonly message: string; readonly retryAfterMs: number };

/** The objects of a resource, kept up to date by a watch, indexed and frozen. */
export interface Cache<T extends AnyObject> {
  /** Resolves once the first list is complete; rejects where the process stops before that. */
  readonly synced: Promise<void>;
  get(place: ObjectKey): T | undefined;
  /** In any order. */
  all(): Iterable<T>;
  /** The objects with this key in the index. */
  by(index: string, key: string): readonly T[];
  /**
   * Called after the cache has changed: `before` is absent for a new object, `after` for a deleted one, also where the
   * deletion was only found by a list. An object that was recreated is reported as two changes. A listener that is added
   * later is called at once for all existing objects, as if they were new.
   */
  onChange(listener: (change: Change<T>) => void): void;
}

export type Change<T> = { readonly before: T | undefined; readonly after: T | undefined };

export type CacheOptions<T> = Selection & {
  /** By the name of the index: the keys of an object. */
  readonly indexes?: { readonly [index: string]: (object: T) => readonly string[] };
  /**
   * Removes fields that are not needed before objects are stored. It gets an object without its `managedFields`, which it
   * must not change, and these separately, and returns another.
   */
  readonly transform?: Transform<T>;
  /** A list of the server that the cache begins with, so that it sends none of its own. */
  readonly from?: Listed<T>;
  /** The cache is updated only until then, and not shared. */
  readonly until?: AbortSignal;
};

export type Transform<T> = (object: T, managedFields: readonly unknown[]) => T;

/** Shares one cache between callers with the same resource, selection and transform (the same function). */
export interface Caches {
  of<T extends AnyObject>(resource: ResourceOf<T>, options?: CacheOptions<T>): Cache<T>;
}

/** The result of a reconcile: done, or to be repeated after a delay. */
export type Next =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'after';
      readonly delayMs: number;
      readonly why: string;
      /** The work has neither succeeded nor failed yet: the backoff of earlier failures stays. */
      readonly isUnderWay?: boolean;
    };

export const done: Next = { kind: 'done' };

export function after(delayMs: number, why: string): Next {
  return { kind: 'after', delayMs, why };
}

/** As `after`, in the middle of work that may still fail. */
export function underWay(delayMs: number, why: string): Next {
  return { kind: 'after', delayMs, why, isUnderWay: true };
}

/**
 * A controller. A key names an object to reconcile, never an event; the same key is never processed concurrently. A
 * reconcile that rejects is retried with backoff, or, if it is stalled, when its key is enqueued again.
 */
export type Controller = {
  /** In logs and metrics: `node`, `drain`. */
  readonly name: string;
  readonly workers: number;
  /** Registers listeners that enqueue keys as objects change. Called once, before the first reconcile. */
  readonly watch: (enqueue: Enqueue) => void;
  /** Caches that must be filled before the first reconcile. */
  readonly caches: readonly Cache<AnyObject>[];
  readonly reconcile: (key: string) => Promise<Next>;
};

/** With a delay the key is reconciled no later than after it, and possibly earlier. */
export type Enqueue = (key: string, delayMs?: number) => void;

/** Events about objects (`kubectl get events`). Repeated ones are counted. */
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
