/**
 * A failing server: it rejects requests, forgets versions, and cuts off responses and watches. It wraps the handler of the
 * server, so the whole HTTP stack is tested.
 *
 * Contents are never wrong. Of the possible faults of a request it takes the rarest so far, so that all of them occur.
 */

import type { Random } from '../../src/base/env.ts';
import type { Request, Response } from '../../src/embedded/apiserver/index.ts';
import type { Handle } from './http-server.ts';
import { type AskedRequest, askedRequest } from './request-rates.ts';

export type HandlerFaults = {
  readonly stand: (handle: Handle, isMeant: (request: Request) => boolean) => Handle;
  /** What can go wrong. */
  readonly names: readonly string[];
  /** The number of faults by name. */
  readonly counts: ReadonlyMap<string, number>;
  /** The requests that count. */
  readonly asked: readonly AskedRequest[];
};

export type HandlerFaultOptions = {
  readonly random: Random;
  readonly now: () => number;
  /** Failing requests of a hundred, and failing watches of thirty. */
  readonly percent: () => number;
  /** Whether the server answers every request with 500. */
  readonly isDown: () => boolean;
  /** Of the store: the history before it can be compacted. */
  readonly revision: () => number;
};

type Fault = {
  readonly name: string;
  /** Whether the server has then forgotten all versions before the present one. */
  readonly isForgetting?: true;
  readonly fits: (request: Request) => boolean;
  readonly act: (answer: () => Promise<Response>) => Promise<Response>;
};

const isWatch = ({ query }: Request) => query.includes('watch=true');
const isWrite = ({ method }: Request) => method !== 'GET';
const RETRY_AFTER_SECONDS = 1;
/** So many pieces of news come before a watch is cut. */
const PIECES = 3;

const FAULTS: readonly Fault[] = [
  { name: '500', fits: () => true, act: async () => refusal(500, 'InternalError') },
  { name: '429', fits: () => true, act: async () => refusal(429, 'TooManyRequests') },
  {
    name: '409',
    fits: ({ method }) => method === 'PATCH' || method === 'PUT',
    act: async () => refusal(409, 'Conflict'),
  },
  { name: '410', isForgetting: true, fits: isWatch, act: async () => refusal(410, 'Expired') },
  {
    name: '410 in a watch',
    isForgetting: true,
    fits: isWatch,
    act: async (answer) => ending(await answer(), expired()),
  },
  { name: 'ended watch', fits: isWatch, act: async (answer) => ending(await answer(), nothing()) },
  { name: 'cut watch', fits: isWatch, act: async (answer) => ending(await answer(), broken()) },
  {
    name: 'lost answer',
    fits: isWrite,
    act: async (answer) => {
      const { headers } = await answer();
      return { status: 200, headers, body: broken() };
    },
  },
];

export function createHandlerFaults(options: HandlerFaultOptions): HandlerFaults {
  const { random, now, percent, isDown, revision } = options;
  /** By path: of versions before this nothing is known any more. */
  const forgotten = new Map<string, number>();
  const isForgotten = ({ path, query }: Request) =>
    Number(new URLSearchParams(query).get('resourceVersion')) < (forgotten.get(path) ?? 0);
  const counts = new Map<string, number>();
  const asked: AskedRequest[] = [];
  const rarest = (request: Request): Fault | undefined =>
    FAULTS.filter(({ fits }) => fits(request)).toSorted(
      (a, b) => (counts.get(a.name) ?? 0) - (counts.get(b.name) ?? 0),
    )[0];
  return {
    names: FAULTS.map(({ name }) => name),
    counts,
    asked,
    stand: (handle, isMeant) => async (request) => {
      if (!isMeant(request)) return await handle(request);
      asked.push(askedRequest(now(), request));
      if (isDown()) return refusal(500, 'InternalError');
      if (isWatch(request) && isForgotten(request)) return refusal(410, 'Expired');
      const isHit = random.next() * (isWatch(request) ? 30 : 100) < percent();
      const fault = isHit ? rarest(request) : undefined;
      if (fault === undefined) return await handle(request);
      counts.set(fault.name, (counts.get(fault.name) ?? 0) + 1);
      if (fault.isForgetting === true) forgotten.set(request.path, revision());
      return await fault.act(() => handle(request));
    },
  };
}

/** Some news, and then the end. */
function ending(response: Response, end: AsyncIterable<Uint8Array>): Response {
  const { body } = response;
  if (body instanceof Uint8Array) return response;
  const shortened = async function* () {
    let count = 0;
    for await (const piece of body) {
      yield piece;
      count++;
      if (count >= PIECES) break;
    }
    yield* end;
  };
  return { ...response, body: shortened() };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function* expired(): AsyncGenerator<Uint8Array> {
  yield encoded({ type: 'ERROR', object: status(410, 'Expired') });
}

/** The connection breaks in the middle of a line. */
async function* broken(): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode('{"type":"MODI');
  throw new Error('the connection breaks');
}

function refusal(code: number, reason: string): Response {
  const headers: Response['headers'] = [
    ['content-type', 'application/json'],
    ...(code === 429 ? [['retry-after', String(RETRY_AFTER_SECONDS)] as const] : []),
  ];
  return { status: code, headers, body: encoded(status(code, reason)) };
}

function status(code: number, reason: string): object {
  return {
    ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' },
    ...{ code, reason, message: `${reason} by bad luck` },
  };
}

function encoded(value: object): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value)}\n`);
}
