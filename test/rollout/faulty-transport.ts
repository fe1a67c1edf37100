/**
 * A bad connection to a busy server: requests are rejected, requests or responses are lost, watches are cut, and events
 * come late or twice. The seed determines the faults.
 *
 * Contents are never wrong: an object that does not exist is never returned. Real servers and networks guarantee that
 * too.
 */
import type { Clock, Random } from '../../src/base/env.ts';
import { Failure } from '../../src/base/errors.ts';
import type { Transport, TransportRequest, TransportResponse } from '../../src/kubernetes/client/index.ts';
import type { Wrap } from './world-process.ts';

export type FaultOptions = {
  readonly random: Random;
  readonly clock: Clock;
  /** How many of a hundred requests go wrong. */
  readonly percent: () => number;
  /** News of a watch come up to this much later. */
  readonly lateMs: number;
};

export type Faults = {
  readonly wrap: Wrap;
  /** How often what went wrong. */
  readonly counts: ReadonlyMap<string, number>;
};

type Fault = {
  readonly name: string;
  readonly fits: (request: TransportRequest) => boolean;
  readonly act: (transport: Transport, request: TransportRequest) => Promise<TransportResponse>;
};

const isWatch = ({ query }: TransportRequest) => query.includes('watch=true');
const isWrite = ({ method }: TransportRequest) => method !== 'GET';

const FAULTS: readonly Fault[] = [
  { name: '500', fits: () => true, act: async () => refusal(500, 'InternalError') },
  { name: '429', fits: () => true, act: async () => refusal(429, 'TooManyRequests', 2) },
  {
    name: '409',
    fits: ({ method }) => method === 'PATCH' || method === 'PUT',
    act: async () => refusal(409, 'Conflict'),
  },
  { name: '410', fits: isWatch, act: async () => refusal(410, 'Expired') },
  {
    name: 'lost request',
    fits: () => true,
    act: async (_, request) => {
      throw lost(request);
    },
  },
  {
    name: 'lost answer',
    fits: isWrite,
    act: async (transport, request) => {
      await transport.send(request);
      throw lost(request);
    },
  },
];

export function createFaults(options: FaultOptions): Faults {
  const { random, percent } = options;
  const counts = new Map<string, number>();
  const note = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  const isHit = (of = 100) => random.next() * of < percent();
  /** Of what can go wrong, what has done so least often: none of it is left out. */
  const rarest = (request: TransportRequest): Fault | undefined =>
    FAULTS.filter(({ fits }) => fits(request)).toSorted(
      (a, b) => (counts.get(a.name) ?? 0) - (counts.get(b.name) ?? 0),
    )[0];
  return {
    counts,
    wrap: (transport) => ({
      async send(request) {
        // Watches are opened seldom: for them luck is worse.
        const fault = isHit(isWatch(request) ? 30 : 100) ? rarest(request) : undefined;
        if (fault !== undefined) {
          note(fault.name);
          return await fault.act(transport, request);
        }
        const response = await transport.send(request);
        if (!isWatch(request)) return response;
        return { ...response, body: withFaults(response.body, { ...options, note, isHit }) };
      },
    }),
  };
}

type StreamFaults = FaultOptions & {
  readonly note: (name: string) => void;
  readonly isHit: (of?: number) => boolean;
};

/** The number of recent chunks that may be repeated. */
const REMEMBERED = 5;

async function* withFaults(
  pieces: AsyncIterable<Uint8Array>,
  { random, clock, lateMs, note, isHit }: StreamFaults,
): AsyncGenerator<Uint8Array> {
  const recent: Uint8Array[] = [];
  for await (const piece of pieces) {
    const isCut = isHit();
    const delayMs = isHit(50) ? Math.ceil(random.next() * lateMs) : 0;
    if (delayMs > 0) {
      note('late news');
      await new Promise<void>((resolve) => {
        clock.after(delayMs, resolve);
      });
    }
    if (isCut) {
      note('cut watch');
      return;
    }
    yield piece;
    recent.push(piece);
    if (recent.length > REMEMBERED) recent.shift();
    const again = isHit(50) ? recent[Math.floor(random.next() * recent.length)] : undefined;
    if (again === undefined) continue;
    note('repeated news');
    yield again;
  }
}

function refusal(code: number, reason: string, retryAfterSeconds?: number): TransportResponse {
  const details = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, details };
  const body = new TextEncoder().encode(JSON.stringify({ ...status, message: `${reason} by bad luck` }));
  return {
    status: code,
    headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
    body: once(body),
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function lost({ method, path }: TransportRequest): Failure {
  return new Failure('transient', 'Unreachable', `${method} ${path}: the connection was lost`);
}
