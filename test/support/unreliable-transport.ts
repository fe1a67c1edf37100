/**
 * A transport with random faults: requests are lost before or after the server handles them, and watches are delayed
 * and broken. A write may have succeeded although its response was lost.
 */
import type { Clock, Random } from '../../src/base/env.ts';
import { Failure } from '../../src/base/errors.ts';
import type { Transport, TransportRequest, TransportResponse } from '../../src/kubernetes/client/index.ts';

export type Unreliability = {
  readonly random: Random;
  readonly clock: Clock;
  /** The share of lost requests; half of them after the server has handled them. */
  readonly lost: number;
  /** The share of watch events that break the watch. */
  readonly cut: number;
  /** The maximum delay of watch events. */
  readonly lateMs: number;
  /** No more faults once it is false. */
  readonly isOn: () => boolean;
};

export function unreliableTransport(transport: Transport, dice: Unreliability): Transport {
  const { random, lost, isOn } = dice;
  const isLost = () => isOn() && random.next() < lost / 2;
  return {
    async send(request) {
      if (isLost()) throw lostFailure(request);
      const response = await transport.send(request);
      if (isWatch(request)) return { ...response, body: lateBody(response.body, dice) };
      if (isLost()) throw lostFailure(request);
      return response;
    },
  };
}

function isWatch({ method, query }: TransportRequest): boolean {
  return method === 'GET' && query.includes('watch=');
}

function lostFailure({ method, path }: TransportRequest): Failure {
  return new Failure('transient', 'Unreachable', `${method} ${path}: lost`);
}

async function* lateBody(
  body: TransportResponse['body'],
  { random, clock, cut, lateMs, isOn }: Unreliability,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    if (isOn()) await passed(clock, random.next() * lateMs);
    if (isOn() && random.next() < cut) return;
    yield chunk;
  }
}

function passed(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}
