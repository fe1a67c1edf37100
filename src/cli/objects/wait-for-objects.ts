/**
 * Waits until objects meet a condition, with one watch per resource and namespace.
 */
import { Failure } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { isExpired } from '../../kubernetes/client/index.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';
import type { ApiResource } from './api-resource.ts';
import type { ClusterSession } from './cluster-session.ts';
import { itemsOf, listAll, type Scope, watchChanges } from './list-and-watch.ts';

export type ObjectReference = {
  readonly resource: ApiResource;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
};

/** `impossible`: the condition can no longer be met. */
export type WaitResult = 'met' | 'pending' | 'impossible';

type WaitRequest = {
  readonly objects: readonly ObjectReference[];
  /** The object is undefined if it does not exist. */
  readonly check: (reference: ObjectReference, object: JsonObject | undefined) => WaitResult;
  /** Called once for each object that met the condition, or no longer can. */
  readonly onSettled: (reference: ObjectReference, result: 'met' | 'impossible') => void;
  /** 0 checks once. */
  readonly timeoutMs: number;
};

/** An object that did not meet the condition in time, in its last observed state. */
type UnmetObject = { readonly reference: ObjectReference; readonly object: JsonObject | undefined };

export async function waitForObjects(
  session: ClusterSession,
  request: WaitRequest,
): Promise<readonly UnmetObject[]> {
  const timeout = new AbortController();
  const { timeoutMs } = request;
  const timer = timeoutMs > 0 ? session.clock.after(timeoutMs, () => timeout.abort()) : undefined;
  try {
    const unmet = await Promise.all(
      groupsOf(request.objects).map((objects) =>
        waitForGroup(session, { ...request, objects }, timeout.signal),
      ),
    );
    return unmet.flat();
  } finally {
    timer?.cancel();
    // If one group failed, the others stop waiting.
    timeout.abort();
  }
}

function groupsOf(objects: readonly ObjectReference[]): readonly (readonly ObjectReference[])[] {
  const groups = new Map<string, ObjectReference[]>();
  for (const object of objects) {
    const { group, version, plural } = object.resource;
    const key = [group, version, plural, object.namespace].join('/');
    groups.set(key, [...(groups.get(key) ?? []), object]);
  }
  return [...groups.values()];
}

async function waitForGroup(
  session: ClusterSession,
  request: WaitRequest,
  signal: AbortSignal,
): Promise<readonly UnmetObject[]> {
  const { check, onSettled, timeoutMs } = request;
  let pending = request.objects;
  let current: ReadonlyMap<string, JsonObject> = new Map();
  try {
    for await (current of states(session, scopeOf(pending), signal)) {
      pending = pending.filter((reference) => {
        const result = check(reference, current.get(reference.name));
        if (result !== 'pending') onSettled(reference, result);
        return result === 'pending';
      });
      if (pending.length === 0 || timeoutMs === 0) break;
    }
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'cancelled') throw error;
  }
  return pending.map((reference) => ({ reference, object: current.get(reference.name) }));
}

/** A single object is watched by name; otherwise all objects of the resource are watched. */
function scopeOf(objects: readonly ObjectReference[]): Scope {
  const [first] = objects;
  if (first === undefined) throw new Failure('usage', 'NothingAwaited', 'nothing to wait for');
  const { resource, namespace, name } = first;
  return {
    resource,
    namespace: namespace === '' ? undefined : namespace,
    ...(objects.length === 1 ? { fieldSelector: `metadata.name=${name}` } : {}),
  };
}

/** The objects of the scope by name: now, and after every change. */
async function* states(
  session: ClusterSession,
  scope: Scope,
  signal: AbortSignal,
): AsyncGenerator<ReadonlyMap<string, JsonObject>> {
  for (;;) {
    const listed = await listAll(session, scope, signal);
    const objects = new Map(itemsOf(listed).map((object) => [nameOf(object), object]));
    yield objects;
    try {
      const from = { resourceVersion: listed.resourceVersion, signal };
      for await (const { type, object } of watchChanges(session, scope, from)) {
        if (type === 'DELETED') objects.delete(nameOf(object));
        else objects.set(nameOf(object), object);
        yield objects;
      }
      return;
    } catch (error) {
      if (!isExpired(error)) throw error;
    }
  }
}
