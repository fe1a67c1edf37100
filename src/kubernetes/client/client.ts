/**
 * The implementation of `Kube` by requests.
 */

import type { Env } from '../../base/env.ts';
import { assert, Failure } from '../../base/errors.ts';
import { isObject, own } from '../../base/json.ts';
import { apiVersionOf } from '../meta/index.ts';
import { pod } from '../types/index.ts';
import type {
  AnyObject,
  AnyResource,
  DeleteOptions,
  Eviction,
  EvictOptions,
  Kube,
  Listed,
  ObjectKey,
  Patch,
  ResourceOf,
  Selection,
  WriteOptions,
} from './kube.ts';
import { isConflict, isNotFound, KubeError } from './kube-error.ts';
import { listAll, typed } from './list-all.ts';
import { collectionPath, objectPath, queryText } from './paths.ts';
import { rawObject } from './raw-object.ts';
import type { RequestLimits } from './request-limits.ts';
import { type Ask, Requests } from './requests.ts';
import type { Transport } from './transport.ts';

type KubeOptions = {
  readonly transport: Transport;
  readonly env: Pick<Env, 'clock' | 'random' | 'signal'>;
  /** The default field manager. */
  readonly fieldManager: string;
  readonly userAgent?: string;
  readonly limits?: Partial<RequestLimits>;
};

/**
 * Each client has its own rate limit, so that parts of a process do not block each other. Requests in flight are completed
 * when the process is stopped; only waiting ends.
 */
export function createKube(options: KubeOptions): Kube {
  return new Client(new Requests(options), options.fieldManager);
}

const PATCH_TYPES: { readonly [type in Patch['type'] | 'apply']: string } = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  // JSON is YAML.
  apply: 'application/apply-patch+yaml',
};
/** The delay after a refused eviction, where the server does not set one. */
const EVICTION_RETRY_MS = 5_000;

class Client implements Kube {
  readonly #requests: Requests;
  readonly #fieldManager: string;

  constructor(requests: Requests, fieldManager: string) {
    this.#requests = requests;
    this.#fieldManager = fieldManager;
  }

  async get<T extends AnyObject>(resource: ResourceOf<T>, place: ObjectKey): Promise<T | undefined> {
    try {
      return await this.#object<T>(resource, { method: 'GET', path: objectPath(resource, place) });
    } catch (error) {
      if (isNotFound(error, place.name)) return undefined;
      throw error;
    }
  }

  list<T extends AnyObject>(resource: ResourceOf<T>, selection: Selection = {}): Promise<Listed<T>> {
    return listAll(this.#requests, { resource, selection, keep: typed<T> });
  }

  async create<T extends AnyObject>(
    resource: ResourceOf<T>,
    object: T,
    options: WriteOptions = {},
  ): Promise<T> {
    const { name, namespace } = object.metadata;
    const { subresource } = options;
    const body = { ...typeOf(resource), ...object };
    if (subresource === undefined) {
      const path = collectionPath(resource, requiredNamespace(resource, namespace));
      return await this.#write(resource, { method: 'POST', path, body }, options);
    }
    const path = objectPath(resource, objectKey(name, namespace), subresource);
    const ask = this.#written({ method: 'POST', path, body }, options);
    const answer = await this.#requests.ask(ask);
    return isDone(answer) ? object : objectIn<T>(answer, resource, ask);
  }

  update<T extends AnyObject>(resource: ResourceOf<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const { name, namespace } = object.metadata;
    const path = objectPath(resource, objectKey(name, namespace), options.subresource);
    return this.#write(resource, { method: 'PUT', path, body: { ...typeOf(resource), ...object } }, options);
  }

  patch<T extends AnyObject>(
    resource: ResourceOf<T>,
    place: ObjectKey,
    { type, body }: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    const path = objectPath(resource, place, options.subresource);
    return this.#write(resource, { method: 'PATCH', path, body, contentType: PATCH_TYPES[type] }, options);
  }

  apply<T extends AnyObject>(
    resource: ResourceOf<T>,
    object: object & AnyObject,
    options: WriteOptions = {},
  ): Promise<T> {
    const { name, namespace } = object.metadata;
    const path = objectPath(resource, objectKey(name, namespace), options.subresource);
    const body = { ...typeOf(resource), ...object };
    return this.#write(
      resource,
      { method: 'PATCH', path, body, contentType: PATCH_TYPES.apply, isForced: true },
      options,
    );
  }

  async delete<T extends AnyObject>(
    resource: ResourceOf<T>,
    place: ObjectKey,
    options: DeleteOptions = {},
  ): Promise<boolean> {
    const body = { ...{ apiVersion: 'v1', kind: 'DeleteOptions' }, ...deletionOf(options) };
    try {
      await this.#requests.ask({ method: 'DELETE', path: objectPath(resource, place), body });
      return true;
    } catch (error) {
      if (await this.#isGone(error, { resource, place, uid: options.uid })) return false;
      throw error;
    }
  }

  async evict(place: Required<ObjectKey>, options: EvictOptions = {}): Promise<Eviction> {
    const body = {
      ...{ apiVersion: 'policy/v1', kind: 'Eviction', metadata: place },
      deleteOptions: deletionOf(options),
    };
    const path = objectPath(pod, place, 'eviction');
    try {
      await this.#requests.ask({ method: 'POST', path, body, isAnswer: isBudgetRefusal });
      return { kind: 'accepted' };
    } catch (error) {
      if (await this.#isGone(error, { resource: pod, place, uid: options.uid })) return { kind: 'gone' };
      if (!(error instanceof KubeError) || !isBudgetRefusal(error)) throw error;
      const { retryAfterMs = EVICTION_RETRY_MS } = error;
      return { kind: 'refused', message: refusalText(error), retryAfterMs };
    }
  }

  /** Also where another object of that name exists now. */
  async #isGone<T extends AnyObject>(error: unknown, { resource, place, uid }: Meant<T>): Promise<boolean> {
    if (isNotFound(error, place.name)) return true;
    if (uid === undefined || !isConflict(error)) return false;
    const found = await this.get(resource, place);
    return found?.metadata.uid !== uid;
  }

  #write<T extends AnyObject>(resource: ResourceOf<T>, ask: WriteAsk, options: WriteOptions): Promise<T> {
    return this.#object<T>(resource, this.#written(ask, options));
  }

  #written({ isForced, ...ask }: WriteAsk, { fieldManager = this.#fieldManager }: WriteOptions): Ask {
    return { ...ask, query: queryText({ fieldManager, force: isForced === true ? 'true' : undefined }) };
  }

  async #object<T extends AnyObject>(resource: ResourceOf<T>, ask: Ask): Promise<T> {
    return objectIn<T>(await this.#requests.ask(ask), resource, ask);
  }
}

type WriteAsk = Ask & { readonly isForced?: true };
/** The precondition, where a uid is given. */
type Meant<T> = {
  readonly resource: ResourceOf<T>;
  readonly place: ObjectKey;
  readonly uid: string | undefined;
};

function objectIn<T extends AnyObject>(answer: unknown, resource: AnyResource, { method, path }: Ask): T {
  const object = rawObject(answer, typeOf(resource));
  if (object !== undefined) return typed<T>(object);
  throw new Failure('transient', 'BadAnswer', `${method} ${path}: the answer is no object`);
}

/** Whether the response is a Status of success rather than an object. */
function isDone(answer: unknown): boolean {
  return isObject(answer) && own(answer, 'kind') === 'Status' && own(answer, 'status') === 'Success';
}

function deletionOf({ uid, resourceVersion, ...options }: DeleteOptions): object {
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  return { ...options, ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }) };
}

function typeOf(resource: AnyResource): { readonly apiVersion: string; readonly kind: string } {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind };
}

function objectKey(name: string, namespace: string | undefined): ObjectKey {
  return namespace === undefined || namespace === '' ? { name } : { name, namespace };
}

function requiredNamespace({ plural, scope }: AnyResource, namespace = ''): string {
  assert(scope === 'Cluster' || namespace !== '', `${plural} are namespaced, and no namespace is given`);
  return namespace;
}

/** Not every 429 is about a disruption budget: the server may be overloaded. */
function isBudgetRefusal({ code, details }: KubeError): boolean {
  return code === 429 && (details.causes ?? []).some(({ reason }) => reason === 'DisruptionBudget');
}

/** The server's message, and the disruption budget it names. */
function refusalText({ message, details }: KubeError): string {
  const causes = (details.causes ?? []).flatMap(({ message: why = '' }) => (why === '' ? [] : [why]));
  return [message, ...causes].join(' ');
}
