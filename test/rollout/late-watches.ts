/**
 * Watches whose events arrive late, each resource by its own delay: the caches of one process then show states of
 * different times, as informers do when a watch is slow or was broken. Lists and single reads are answered at once.
 */
import type { Clock } from '../../src/base/env.ts';
import type { TransportRequest, TransportResponse } from '../../src/kubernetes/client/index.ts';
import type { Wrap } from './world-process.ts';

/** By the plural of a resource, such as `configmaps`: how much later its events arrive. */
export type Lag = { readonly [plural: string]: number };

/** `lag` is read for every event, so it may change while the process runs. */
export function lateWatches(clock: Clock, lag: () => Lag): Wrap {
  return (transport) => ({
    async send(request) {
      const response = await transport.send(request);
      if (!request.query.includes('watch=true')) return response;
      return { ...response, body: late(response.body, clock, () => lag()[pluralOf(request)] ?? 0) };
    },
  });
}

function pluralOf({ path }: TransportRequest): string {
  return path.split('/').at(-1) ?? '';
}

async function* late(
  pieces: TransportResponse['body'],
  clock: Clock,
  delayMs: () => number,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    const ms = delayMs();
    if (ms > 0) await new Promise<void>((resolve) => void clock.after(ms, resolve));
    yield piece;
  }
}
