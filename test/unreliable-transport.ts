/**
 * A way to a server on which things go wrong, by dice: requests are lost on the way there or on the way back, and watches
 * are late and break. What was written may have been written although nobody heard of it.
 */
import type { Clock, Random } from '../src/base/env.ts';
import { Failure } from '../src/base/errors.ts';
import type { Transport, TransportRequest, TransportResponse } from '../src/kubernetes/client/index.ts';

export type Unreliability = {
  readonly random: Random;
  readonly clock: Clock;
  /** Of requests, so many are lost; half of them only after the server has done what it was asked to. */
  readonly lost: number;
  /** Of what a watch brings, so much ends it. */
  readonly cut: number;
  /** How late a watch may be. */
  readonly lateMs: number;
  /** Nothing goes wrong any more once it is false. */
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
