/**
 * Waiting until objects are as somebody wants them: one watch for each kind and namespace, however many objects it is about.
 */

import { Failure } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { isExpired } from '../../kubernetes/client/index.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';
import type { ApiResource } from './api-resource.ts';
import type { ClusterSession } from './cluster-session.ts';
import { itemsOf, listAll, type Scope, watchChanges } from './list-and-watch.ts';

export type AwaitedObject = {
  readonly resource: ApiResource;
  /** Empty for what lies in none. */
  readonly namespace: string;
  readonly name: string;
};

/** `lost`: it will never be as it should. */
export type Verdict = 'met' | 'not yet' | 'lost';

type Awaiting = {
  readonly objects: readonly AwaitedObject[];
  /** Undefined for an object that is not there. */
  readonly judge: (awaited: AwaitedObject, object: JsonObject | undefined) => Verdict;
  /** Called once for each object. */
  readonly onEnd: (awaited: AwaitedObject, verdict: 'met' | 'lost') => void;
  /** 0 looks once. */
  readonly timeoutMs: number;
};

/** What is still waited for when the time is over, as it was last seen. */
type LateObject = { readonly awaited: AwaitedObject; readonly object: JsonObject | undefined };

export async function awaitObjects(
  session: ClusterSession,
  awaiting: Awaiting,
): Promise<readonly LateObject[]> {
  const over = new AbortController();
  const { timeoutMs } = awaiting;
  const timer = timeoutMs > 0 ? session.clock.after(timeoutMs, () => over.abort()) : undefined;
  try {
    const late = await Promise.all(
      groupsOf(awaiting.objects).map((objects) => awaitGroup(session, { ...awaiting, objects }, over.signal)),
    );
    return late.flat();
  } finally {
    timer?.cancel();
    // Where one group failed the others have nothing to wait for.
    over.abort();
  }
}

function groupsOf(objects: readonly AwaitedObject[]): readonly (readonly AwaitedObject[])[] {
  const groups = new Map<string, AwaitedObject[]>();
  for (const object of objects) {
    const { group, version, plural } = object.resource;
    const key = [group, version, plural, object.namespace].join('/');
    groups.set(key, [...(groups.get(key) ?? []), object]);
  }
  return [...groups.values()];
}

async function awaitGroup(
  session: ClusterSession,
  awaiting: Awaiting,
  signal: AbortSignal,
): Promise<readonly LateObject[]> {
  const { judge, onEnd, timeoutMs } = awaiting;
  let pending = awaiting.objects;
  let seen: ReadonlyMap<string, JsonObject> = new Map();
  try {
    for await (seen of states(session, scopeOf(pending), signal)) {
      pending = pending.filter((awaited) => {
        const verdict = judge(awaited, seen.get(awaited.name));
        if (verdict !== 'not yet') onEnd(awaited, verdict);
        return verdict === 'not yet';
      });
      if (pending.length === 0 || timeoutMs === 0) break;
    }
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'cancelled') throw error;
  }
  return pending.map((awaited) => ({ awaited, object: seen.get(awaited.name) }));
}

/** One object is asked for by its name; of several, all are looked at. */
function scopeOf(objects: readonly AwaitedObject[]): Scope {
  const [first] = objects;
  if (first === undefined) throw new Failure('usage', 'NothingAwaited', 'there is nothing to wait for');
  const { resource, namespace, name } = first;
  return {
    ...{ resource, namespace: namespace === '' ? undefined : namespace },
    ...(objects.length === 1 ? { fieldSelector: `metadata.name=${name}` } : {}),
  };
}

/** The objects of the scope by name: as they are, and again after every change. */
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
