/**
 * Keeps what is served in step with the definitions: accepts names, establishes kinds, and when a definition goes
 * deletes its objects first.
 *
 * It follows the definitions in the store, so it does not matter who wrote them or when: a server that starts finds
 * its kinds again the same way. One definition is looked at after the other.
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
import { nowText, type World } from './call.ts';
import { allObjects, keyOf, type Live, prefixOf, readObject, storedBytes } from './store/records.ts';
import type { Subscription } from './store/store.ts';
import { metadataOf } from './store/stored-object.ts';
import { deleteObject } from './verbs/delete.ts';
import { isReadyToGo } from './verbs/deletion.ts';

/** Objects of a definition that is going may have finalizers of their own; they are looked at again after this. */
const LOOK_AGAIN_MS = 100;
/** Who was reading the old schema when it changed has written by then. */
const SETTLING_MS = 60_000;

const KEEPER = { name: 'system:apiserver', groups: ['system:masters'] };

export class DefinitionKeeper {
  readonly #world: World;
  readonly #definitions: Resource;
  readonly #waiting = new Set<string>();
  readonly #timers = new Set<{ cancel(): void }>();
  #subscription: Subscription | undefined;
  #running: Promise<void> = Promise.resolve();
  readonly #stopping = new AbortController();

  constructor(world: World) {
    this.#world = world;
    const found = world.catalog.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions');
    assert(found !== undefined, 'definitions are served');
    this.#definitions = found;
  }

  /** Resolves once everything that is defined already is served. */
  async start(): Promise<void> {
    const { store } = this.#world;
    const prefix = prefixOf(this.#definitions, '');
    const from = store.revision();
    for (const definition of allObjects(store, this.#definitions, ''))
      this.#wake(metadataOf(definition).name);
    const subscribed = store.subscribe({ prefix, from }, ({ key }) => this.#wake(key.slice(prefix.length)));
    assert(subscribed.kind === 'subscribed', 'the newest state can always be followed');
    this.#subscription = subscribed.subscription;
    await this.#running;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#subscription?.cancel();
    for (const timer of this.#timers) timer.cancel();
    await this.#running;
  }

  #wake(name: string): void {
    const isIdle = this.#waiting.size === 0;
    this.#waiting.add(name);
    if (isIdle) this.#running = this.#running.then(() => this.#work());
  }

  async #work(): Promise<void> {
    for (const name of this.#waiting) {
      if (this.#stopping.signal.aborted) return;
      this.#waiting.delete(name);
      try {
        await this.#keep(name);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        this.#world.env.log.error('keeping a definition failed', { definition: name, message });
        this.#later(LOOK_AGAIN_MS * 10, () => this.#wake(name));
      }
    }
  }

  async #keep(name: string): Promise<void> {
    const { store, catalog } = this.#world;
    const live = readObject(store, this.#definitions, '', name);
    if (live === undefined) {
      catalog.setCustom(name, undefined);
      this.#wakeGroup(name);
      return;
    }
    this.#serve(name, live);
    const { deletionTimestamp } = metadataOf(live.object);
    if (deletionTimestamp !== undefined) {
      await this.#remove(name, live);
      return;
    }
    const others = [...allObjects(store, this.#definitions, '')].filter(
      (one) => metadataOf(one).name !== name,
    );
    const now = nowText(this.#world);
    const next =
      acceptNames(live.object, others, now) ??
      establish(live.object, now) ??
      withApprovalCondition(live.object, now);
    // The write wakes us again, and so the next step follows.
    if (next !== undefined) await this.#write(name, live, next);
  }

  /** Names that one definition could not have may be free now. */
  #wakeGroup(gone: string): void {
    const group = gone.slice(gone.indexOf('.') + 1);
    for (const one of allObjects(this.#world.store, this.#definitions, '')) {
      const { name } = metadataOf(one);
      if (name.endsWith(`.${group}`)) this.#wake(name);
    }
  }

  #serve(name: string, { object, revision }: Live): void {
    const { catalog } = this.#world;
    if (servedResourcesOf(object).length === 0) return;
    const before = catalog.custom(name);
    const isGoing = isTerminating(object) || metadataOf(object).deletionTimestamp !== undefined;
    const isSame = before !== undefined && isSameKind(before.definition, object);
    if (isSame && before.isTerminating === isGoing) return;
    catalog.setCustom(name, {
      definition: object,
      resources: isSame ? before.resources : servedResourcesOf(object),
      since: before?.since ?? revision,
      unchangedSince: isSame ? before.unchangedSince : Number.POSITIVE_INFINITY,
      isTerminating: isGoing,
    });
    if (!isSame) this.#later(SETTLING_MS, () => this.#settle(name, object));
  }

  /** From now on whatever is written has been checked by this schema. */
  #settle(name: string, definition: JsonObject): void {
    const { catalog, store } = this.#world;
    const custom = catalog.custom(name);
    if (custom === undefined || !isSameKind(custom.definition, definition)) return;
    catalog.setCustom(name, { ...custom, unchangedSince: store.revision() + 1 });
  }

  async #remove(name: string, live: Live): Promise<void> {
    const { finalizers = [] } = metadataOf(live.object);
    if (!finalizers.includes(CLEANUP_FINALIZER)) return;
    const now = nowText(this.#world);
    const [resource] = this.#world.catalog.custom(name)?.resources ?? [];
    if (resource === undefined) {
      await this.#write(name, live, withDeletionPhase(live.object, { kind: 'never established' }, now));
      return;
    }
    const started = withDeletionPhase(live.object, { kind: 'in progress' }, now);
    if (!jsonEqual(started.status, live.object.status)) {
      await this.#write(name, live, started);
      return;
    }
    if (await this.#removeObjects(resource)) {
      await this.#write(name, live, withDeletionPhase(live.object, { kind: 'completed' }, now));
    } else this.#later(LOOK_AGAIN_MS, () => this.#wake(name));
  }

  /** Whether none is left. */
  async #removeObjects(resource: Resource): Promise<boolean> {
    const { store } = this.#world;
    for (const object of allObjects(store, resource, '')) {
      const { name, namespace = '', deletionTimestamp } = metadataOf(object);
      if (deletionTimestamp !== undefined) continue;
      const target = { resource, namespace, name, user: KEEPER, warnings: [] };
      const options = {
        gracePeriodSeconds: undefined,
        propagation: undefined,
        uid: undefined,
        resourceVersion: undefined,
        isDryRun: false,
      };
      try {
        await deleteObject(this.#world, target, options);
      } catch (error) {
        // Gone already, or held by a policy: the next look tells.
        if (!(error instanceof StatusError)) throw error;
      }
    }
    const page = store.range({ prefix: prefixOf(resource, ''), limit: 1 });
    return page.kind === 'page' && page.entries.length === 0;
  }

  /** A lost race is no harm: whoever was faster has woken us. */
  async #write(name: string, { revision, object: before }: Live, after: JsonObject): Promise<void> {
    const object = this.#owned(before, after);
    const key = keyOf(this.#definitions, '', name);
    const isGone = isReadyToGo(this.#definitions, object);
    await this.#world.store.commit([
      isGone
        ? { kind: 'delete', key, expect: revision }
        : { kind: 'put', key, expect: revision, value: storedBytes(this.#world, this.#definitions, object) },
    ]);
  }

  /** What the server says of a definition is its own, and is seen to be. */
  #owned(before: JsonObject, after: JsonObject): JsonObject {
    const { schema, kind } = this.#definitions;
    const apiVersion = apiVersionOf(this.#definitions);
    const manager = { schema, apiVersion, kind, manager: 'kube-apiserver', subresource: 'status' };
    return updateManagedFields({ ...manager, now: nowText(this.#world), before, after }).value;
  }

  #later(delayMs: number, call: () => void): void {
    if (this.#stopping.signal.aborted) return;
    const timer = this.#world.env.clock.after(delayMs, () => {
      this.#timers.delete(timer);
      call();
    });
    this.#timers.add(timer);
  }
}

/** Whether the same is served: names are accepted in the status. */
function isSameKind(before: JsonObject, after: JsonObject): boolean {
  return jsonEqual(before.spec, after.spec) && jsonEqual(namesOf(before), namesOf(after));
}

function namesOf({ status }: JsonObject): unknown {
  return isObject(status) ? own(status, 'acceptedNames') : undefined;
}
