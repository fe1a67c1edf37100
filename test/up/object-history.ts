/**
 * The history of objects from watches of a real kubectl: every version, in the order of the resource version, which all
 * kinds share.
 */
import { type KubectlCall, startKubectl } from './running-kubectl.ts';

export type Seen<T> = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T };

/** The part of any object that a history needs. */
export type Versioned = {
  readonly metadata: { readonly uid?: string; readonly resourceVersion?: string };
};

export type Watching<T> = {
  readonly now: () => readonly T[];
  /** Resolves once the current objects satisfy the predicate. */
  readonly until: (what: string, holds: (now: readonly T[]) => boolean) => Promise<void>;
  /** All observed events. */
  readonly stop: () => Promise<readonly Seen<T>[]>;
};

/** Resolves once the first objects are observed; `args` are those of `kubectl get`, for existing objects. */
export async function watchObjects<T extends Versioned>(
  call: KubectlCall,
  args: readonly string[],
  onEvent: (event: Seen<T>) => void = () => undefined,
): Promise<Watching<T>> {
  const events: Seen<T>[] = [];
  let rest = '';
  const read = (text: string) => {
    // One event in each line, but a line may come in pieces.
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    // kubectl prints the events of the server.
    for (const line of lines) {
      const event = JSON.parse(line) as Seen<T>;
      events.push(event);
      onEvent(event);
    }
  };
  const flags = ['--watch', '--output-watch-events', '-o', 'json'];
  const kubectl = await startKubectl(call, ['get', ...args, ...flags], read);
  const now = () => statesOf(events).at(-1) ?? [];
  return {
    now,
    until: (what, holds) => kubectl.until(what, () => holds(now())),
    async stop() {
      await kubectl.stop();
      return events;
    },
  };
}

/** The state after each event. */
export function statesOf<T extends Versioned>(events: readonly Seen<T>[]): readonly (readonly T[])[] {
  const now = new Map<string, T>();
  return events.map(({ type, object }) => {
    const { uid = '' } = object.metadata;
    if (type === 'DELETED') now.delete(uid);
    else now.set(uid, object);
    return [...now.values()];
  });
}

/** The histories of several watches as one, from the first write after the given one. */
export function joinHistories<T extends Versioned>(
  histories: readonly (readonly Seen<T>[])[],
  afterVersion: number,
): readonly (readonly T[])[] {
  const versionOf = ({ object }: Seen<T>) => Number(object.metadata.resourceVersion);
  const events = histories.flat().toSorted((a, b) => versionOf(a) - versionOf(b));
  const first = events.findIndex((one) => versionOf(one) > afterVersion);
  return first < 0 ? [] : statesOf(events).slice(first);
}
