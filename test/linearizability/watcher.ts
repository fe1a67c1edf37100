/** A watch of ConfigMaps that records all events. */
import { eventually } from '../contract/eventually.ts';
import type { HttpClient } from '../contract/http-client.ts';
import type { Shown } from './object-model.ts';
import { shownOf } from './recorder.ts';

export type SeenEvent = { readonly type: string; readonly name: string; readonly shown: Shown };

export type Followed = {
  /** What was seen, once it reaches so far; ends the watch. */
  readonly until: (version: number) => Promise<readonly SeenEvent[]>;
  /** What was seen until the server went away. */
  readonly end: () => Promise<readonly SeenEvent[]>;
};

/** From now on, or from what happened after a version. */
export async function followEvents(client: HttpClient, namespace: string, from?: number): Promise<Followed> {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const start = from ?? (await client.request('GET', path)).json.metadata?.resourceVersion;
  const watch = await client.watch(`${path}?watch=1&resourceVersion=${start}`);
  const seen: SeenEvent[] = [];
  const over = (async () => {
    for await (const { type, object } of watch) {
      seen.push({ type: String(type), name: String(object?.metadata?.name), shown: shownOf(object ?? {}) });
    }
  })();
  // A server that is killed breaks the connection: the end of the watch, however it comes.
  const ended = over.catch(() => undefined);
  return {
    async until(version) {
      await eventually(`version ${version} is seen`, async () =>
        (seen.at(-1)?.shown.version ?? 0) >= version ? true : undefined,
      );
      watch.close();
      await ended;
      return seen;
    },
    async end() {
      await ended;
      return seen;
    },
  };
}
