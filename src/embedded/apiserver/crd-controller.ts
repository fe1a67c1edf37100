/**
 * Reconciles the catalog with the CustomResourceDefinitions: accepts names, establishes kinds, and deletes the
 * objects of a definition before the definition itself.
 *
 * It watches the store, so a server that restarts finds its kinds in the same way. One definition is reconciled at a
 * time.
 */

import { assert } from '../../base/errors.ts';
import { isObject, type JsonObject, jsonEqual, own } from '../../base/json.ts';
import { apiVersionOf } from '../../kubernetes/meta/index.ts';
import {
  acceptNames,
  CLEANUP_FINALIZER,
  establish,
  isTerminating,
  servedResourcesOf,
  withApprovalCondition,
  withDeletionPhase,
} from '../crds/index.ts';
import { updateManagedFields } from '../patch/index.ts';
import type { Resource } from '../resources/index.ts';
import { StatusError } from '../status/index.ts';
import { nowText, type ServerContext } from './server-context.ts';
import { allObjects, keyOf, type Live, prefixOf, readObject, storedBytes } from './store/records.ts';
import type { Subscription } from './store/store.ts';
import { metadataOf } from './store/stored-object.ts';
import { deleteObject } from './verbs/delete.ts';
import { canFinalize } from './verbs/deletion.ts';

/** Objects of a deleted definition may have finalizers; they are checked again after this. */
const RETRY_MS = 100;
/** Requests that read the old schema have written by then. */
const SETTLING_MS = 60_000;

const CONTROLLER_USER = { name: 'system:apiserver', groups: ['system:masters'] };

export class CrdController {
  readonly #server: ServerContext;
  readonly #resource: Resource;
  readonly #queue = new Set<string>();
  readonly #timers = new Set<{ cancel(): void }>();
  #subscription: Subscription | undefined;
  #running: Promise<void> = Promise.resolve();
  readonly #stopping = new AbortController();

  constructor(server: ServerContext) {
    this.#server = server;
    const found = server.catalog.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions');
    assert(found !== undefined, 'CustomResourceDefinitions are served');
    this.#resource = found;
  }

  /** Resolves once all existing definitions are served. */
  async start(): Promise<void> {
    const { store } = this.#server;
    const prefix = prefixOf(this.#resource, '');
    const from = store.revision();
    for (const definition of allObjects(store, this.#resource, ''))
      this.#enqueue(metadataOf(definition).name);
    const subscribed = store.subscribe({ prefix, from }, ({ key }) =>
      this.#enqueue(key.slice(prefix.length)),
    );
    assert(subscribed.kind === 'subscribed', 'the latest revision is not compacted');
    this.#subscription = subscribed.subscription;
    await this.#running;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#subscription?.cancel();
    for (const timer of this.#timers) timer.cancel();
    await this.#running;
  }

  #enqueue(name: string): void {
    const isIdle = this.#queue.size === 0;
    this.#queue.add(name);
    if (isIdle) this.#running = this.#running.then(() => this.#processQueue());
  }

  async #processQueue(): Promise<void> {
    for (const name of this.#queue) {
      if (this.#stopping.signal.aborted) return;
      this.#queue.delete(name);
      try {
        await this.#reconcile(name);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        this.#server.env.log.error('reconciling a CustomResourceDefinition failed', {
          definition: name,
          message,
        });
        this.#after(RETRY_MS * 10, () => this.#enqueue(name));
      }
    }
  }

  async #reconcile(name: string): Promise<void> {
    const { store, catalog } = this.#server;
    const live = readObject(store, this.#resource, '', name);
    if (live === undefined) {
      catalog.setCustom(name, undefined);
      this.#enqueueGroup(name);
      return;
    }
    this.#serve(name, live);
    const { deletionTimestamp } = metadataOf(live.object);
    if (deletionTimestamp !== undefined) {
      await this.#finalize(name, live);
      return;
    }
    const others = [...allObjects(store, this.#resource, '')].filter((one) => metadataOf(one).name !== name);
    const now = nowText(this.#server);
    const next =
      acceptNames(live.object, others, now) ??
      establish(live.object, now) ??
      withApprovalCondition(live.object, now);
    // The write enqueues the definition again for the next step.
    if (next !== undefined) await this.#write(name, live, next);
  }

  /** Names that conflicted with the deleted definition may be free now. */
  #enqueueGroup(gone: string): void {
    const group = gone.slice(gone.indexOf('.') + 1);
    for (const one of allObjects(this.#server.store, this.#resource, '')) {
      const { name } = metadataOf(one);
      if (name.endsWith(`.${group}`)) this.#enqueue(name);
    }
  }

  #serve(name: string, { object, revision }: Live): void {
    const { catalog } = this.#server;
    if (servedResourcesOf(object).length === 0) return;
    const before = catalog.custom(name);
    const isDeleted = isTerminating(object) || metadataOf(object).deletionTimestamp !== undefined;
    const isSame = before !== undefined && isSameKind(before.definition, object);
    if (isSame && before.isTerminating === isDeleted) return;
    catalog.setCustom(name, {
      definition: object,
      resources: isSame ? before.resources : servedResourcesOf(object),
      since: before?.since ?? revision,
      unchangedSince: isSame ? before.unchangedSince : Number.POSITIVE_INFINITY,
      isTerminating: isDeleted,
    });
    if (!isSame) this.#after(SETTLING_MS, () => this.#settle(name, object));
  }

  /** Objects written from now on were validated by this schema. */
  #settle(name: string, definition: JsonObject): void {
    const { catalog, store } = this.#server;
    const custom = catalog.custom(name);
    if (custom === undefined || !isSameKind(custom.definition, definition)) return;
    catalog.setCustom(name, { ...custom, unchangedSince: store.revision() + 1 });
  }

  async #finalize(name: string, live: Live): Promise<void> {
    const { finalizers = [] } = metadataOf(live.object);
    if (!finalizers.includes(CLEANUP_FINALIZER)) return;
    const now = nowText(this.#server);
    const [resource] = this.#server.catalog.custom(name)?.resources ?? [];
    if (resource === undefined) {
      await this.#write(name, live, withDeletionPhase(live.object, { kind: 'never established' }, now));
      return;
    }
    const started = withDeletionPhase(live.object, { kind: 'in progress' }, now);
    if (!jsonEqual(started.status, live.object.status)) {
      await this.#write(name, live, started);
      return;
    }
    if (await this.#deleteObjects(resource)) {
      await this.#write(name, live, withDeletionPhase(live.object, { kind: 'completed' }, now));
    } else this.#after(RETRY_MS, () => this.#enqueue(name));
  }

  /** Returns whether none is left. */
  async #deleteObjects(resource: Resource): Promise<boolean> {
    const { store } = this.#server;
    for (const object of allObjects(store, resource, '')) {
      const { name, namespace = '', deletionTimestamp } = metadataOf(object);
      if (deletionTimestamp !== undefined) continue;
      const target = { resource, namespace, name, user: CONTROLLER_USER, warnings: [] };
      const options = {
        gracePeriodSeconds: undefined,
        propagation: undefined,
        uid: undefined,
        resourceVersion: undefined,
        isDryRun: false,
      };
      try {
        await deleteObject(this.#server, target, options);
      } catch (error) {
        // Deleted already, or denied by a policy: the next pass shows.
        if (!(error instanceof StatusError)) throw error;
      }
    }
    const page = store.range({ prefix: prefixOf(resource, ''), limit: 1 });
    return page.kind === 'page' && page.entries.length === 0;
  }

  /** A conflict needs no retry: the other write has enqueued the definition. */
  async #write(name: string, { revision, object: before }: Live, after: JsonObject): Promise<void> {
    const object = this.#owned(before, after);
    const key = keyOf(this.#resource, '', name);
    const isGone = canFinalize(this.#resource, object);
    await this.#server.store.commit([
      isGone
        ? { kind: 'delete', key, expect: revision }
        : { kind: 'put', key, expect: revision, value: storedBytes(this.#server, this.#resource, object) },
    ]);
  }

  /** The status is owned by `kube-apiserver` in managedFields. */
  #owned(before: JsonObject, after: JsonObject): JsonObject {
    const { schema, kind } = this.#resource;
    const apiVersion = apiVersionOf(this.#resource);
    const manager = { schema, apiVersion, kind, manager: 'kube-apiserver', subresource: 'status' };
    return updateManagedFields({ ...manager, now: nowText(this.#server), before, after }).value;
  }

  #after(delayMs: number, call: () => void): void {
    if (this.#stopping.signal.aborted) return;
    const timer = this.#server.env.clock.after(delayMs, () => {
      this.#timers.delete(timer);
      call();
    });
    this.#timers.add(timer);
  }
}

/** Accepted names are part of the status. */
function isSameKind(before: JsonObject, after: JsonObject): boolean {
  return jsonEqual(before.spec, after.spec) && jsonEqual(namesOf(before), namesOf(after));
}

function namesOf({ status }: JsonObject): unknown {
  return isObject(status) ? own(status, 'acceptedNames') : undefined;
}
