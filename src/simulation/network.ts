/**
 * The network between the processes of a simulation and the API server: every request takes time, and may go wrong as requests do.
 *
 *     process ─ gate ─ latency ─ fault? ─► server ─► recorder ─ latency ─ gate ─► process
 *
 * Contents are never wrong: what a watch reports late or twice did happen, in that order. Real servers and networks guarantee that too.
 */
import { joinBytes } from '../base/bytes.ts';
import type { Clock, Random } from '../base/env.ts';
import { Failure } from '../base/errors.ts';
import {
  createInProcessTransport,
  type InProcessUser,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../kubernetes/client/index.ts';
import { ProcessGate } from './process/process-gate.ts';
import { between, isHit, pick, seededRandom } from './seeded-random.ts';
import type { Trace } from './trace.ts';

export type NetworkConditions = {
  /** One way. */
  readonly latencyMs: readonly [number, number];
  /** The share of requests that go wrong. */
  readonly faults: number;
  /** News of a watch come up to this much later. */
  readonly lateMs: number;
  /** Events are accepted and not stored: for rollouts of thousands of nodes, where nothing reads them. */
  readonly dropsEvents?: boolean;
};

export const CALM: NetworkConditions = { latencyMs: [1, 5], faults: 0, lateMs: 0 };
/** For large clusters: no timer for each request. */
export const INSTANT: NetworkConditions = { latencyMs: [0, 0], faults: 0, lateMs: 0 };

/** The server's answer, before anything can be lost on the way back. */
export type Served = {
  readonly actor: string;
  readonly request: TransportRequest;
  readonly status: number;
  /** Of a write: the response, as JSON. */
  readonly body: Uint8Array | undefined;
};

type Handle = Parameters<typeof createInProcessTransport>[0]['handle'];

type NetworkOptions = {
  readonly clock: Clock;
  readonly trace: Trace;
  readonly handle: Handle;
  readonly onServed: (served: Served) => void;
};

type LinkOptions = {
  readonly actor: string;
  readonly user: InProcessUser;
  readonly gate: ProcessGate;
  readonly random: Random;
};

export class Network {
  readonly #options: NetworkOptions;
  #conditions: NetworkConditions = CALM;
  readonly #partitioned = new Set<string>();
  /** Bodies of open watches, to be cut. */
  readonly #watches = new Map<string, Set<AbortController>>();

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  set conditions(conditions: NetworkConditions) {
    this.#conditions = conditions;
  }

  /** Nothing of this actor reaches the server any more, and its watches are silent until they are cut. */
  partition(actor: string): void {
    this.#partitioned.add(actor);
  }

  heal(actor?: string): void {
    for (const one of actor === undefined ? [...this.#partitioned] : [actor]) {
      this.#partitioned.delete(one);
      for (const watch of this.#watches.get(one) ?? []) watch.abort();
    }
  }

  /** The way of one process to the server. */
  link({ actor, user, gate, random }: LinkOptions): Transport {
    const { handle } = this.#options;
    const server = createInProcessTransport({ handle, user });
    const path: Path = { actor, random, server, gate };
    return { send: (request) => gate.pass(() => this.#send(path, request)) };
  }

  /** Of administrators and of Kubernetes itself: nothing is late or lost. */
  reliableLink(actor: string, user: InProcessUser): Transport {
    const { clock, handle } = this.#options;
    const server = createInProcessTransport({ handle, user });
    const gate = new ProcessGate({ clock, onKill: () => undefined });
    const path: Path = { actor, random: seededRandom(1), server, gate };
    return { send: (request) => (isWatch(request) ? server.send(request) : this.#serve(path, request)) };
  }

  async #send(path: Path, request: TransportRequest): Promise<TransportResponse> {
    await this.#delay(path.random);
    if (this.#partitioned.has(path.actor)) {
      await this.#wait(between(path.random, UNREACHABLE_MS));
      throw lost(request);
    }
    const fault = isHit(path.random, this.#conditions.faults)
      ? pick(path.random, faultsOf(request))
      : undefined;
    if (fault !== undefined) this.#options.trace.add(`${path.actor} ${fault}: ${textOf(request)}`);
    return await this.#faulty(path, request, fault);
  }

  async #faulty(path: Path, request: TransportRequest, fault: Fault | undefined): Promise<TransportResponse> {
    switch (fault) {
      case undefined:
        return await this.#answer(path, request);
      case 'lost request':
        await this.#wait(between(path.random, UNREACHABLE_MS));
        throw lost(request);
      case 'lost answer':
        await this.#serve(path, request);
        await this.#wait(between(path.random, UNREACHABLE_MS));
        throw lost(request);
      case 'late request': {
        // The client gives up; what it has sent is still on its way.
        this.#options.clock.after(between(path.random, LATE_REQUEST_MS), () => {
          const { signal: _, ...rest } = request;
          this.#serve(path, rest).catch(() => undefined);
        });
        throw lost(request);
      }
      default:
        return refusal(fault);
    }
  }

  async #answer(path: Path, request: TransportRequest): Promise<TransportResponse> {
    const response = isWatch(request) ? await this.#watch(path, request) : await this.#serve(path, request);
    await this.#delay(path.random);
    if (!isWatch(request) && this.#partitioned.has(path.actor)) throw lost(request);
    return response;
  }

  /** Anything but a watch: the whole response. */
  async #serve({ actor, server }: Path, request: TransportRequest): Promise<TransportResponse> {
    const { trace, onServed } = this.#options;
    const accepted = this.#conditions.dropsEvents === true ? acceptedEvent(request) : undefined;
    if (accepted !== undefined) return accepted;
    const response = await server.send(request);
    const body = await wholeBody(response);
    if (request.method !== 'GET') trace.add(`${actor} ${textOf(request)} ${response.status}`);
    const served = request.method === 'GET' ? undefined : body;
    onServed({ actor, request, status: response.status, body: served });
    return { ...response, body: once(body) };
  }

  async #watch(path: Path, request: TransportRequest): Promise<TransportResponse> {
    const cut = new AbortController();
    const open = this.#watches.get(path.actor) ?? new Set();
    this.#watches.set(path.actor, open.add(cut));
    const signals = [cut.signal, path.gate.killed, ...(request.signal === undefined ? [] : [request.signal])];
    const signal = AbortSignal.any(signals);
    const response = await path.server.send({ ...request, signal });
    const close = () => {
      open.delete(cut);
    };
    return { ...response, body: this.#news(path, response.body, { signal, close }) };
  }

  /** The news of a watch: late, twice, or cut off. */
  async *#news(path: Path, pieces: AsyncIterable<Uint8Array>, { signal, close }: Watching) {
    const { random, gate, actor } = path;
    const { clock } = this.#options;
    let before: Uint8Array | undefined;
    let nextLateMs = 0;
    try {
      for await (const piece of pieces) {
        const { faults, lateMs } = this.#conditions;
        // News that have waited come in one go: no watch is ever further behind than one delay.
        if (lateMs > 0 && clock.monotonic() >= nextLateMs && isHit(random, LATE_SHARE)) {
          await this.#wait(between(random, [1, lateMs]));
          nextLateMs = clock.monotonic() + lateMs;
        }
        while (this.#partitioned.has(actor) && !signal.aborted) await this.#wait(1_000);
        if (signal.aborted) return;
        await gate.pass(async () => undefined);
        yield piece;
        if (isHit(random, faults) && before !== undefined) yield before;
        if (isHit(random, faults)) return;
        before = piece;
      }
    } finally {
      close();
    }
  }

  async #delay(random: Random): Promise<void> {
    const { latencyMs } = this.#conditions;
    if (latencyMs[1] > 0) await this.#wait(between(random, latencyMs));
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#options.clock.after(ms, resolve);
    });
  }
}

type Path = {
  readonly actor: string;
  readonly random: Random;
  readonly server: Transport;
  readonly gate: ProcessGate;
};

type Watching = { readonly signal: AbortSignal; readonly close: () => void };

type Fault = 'lost request' | 'lost answer' | 'late request' | 409 | 410 | 429 | 500;

/** How long a client waits for a connection that is not there. */
const UNREACHABLE_MS = [100, 10_000] as const;
/** How long a request that its client gave up may still be on its way. */
const LATE_REQUEST_MS = [500, 60_000] as const;
const LATE_SHARE = 0.3;

function faultsOf(request: TransportRequest): readonly Fault[] {
  if (isWatch(request)) return [410, 429, 500, 'lost request'];
  if (request.method === 'GET') return [429, 500, 'lost request'];
  const onVersions: readonly Fault[] = request.method === 'POST' ? [] : [409];
  return [429, 500, 'lost request', 'lost answer', 'lost answer', 'late request', ...onVersions];
}

function isWatch({ query }: TransportRequest): boolean {
  return query.includes('watch=true');
}

function textOf({ method, path }: TransportRequest): string {
  return `${method} ${path}`;
}

function lost(request: TransportRequest): Failure {
  return new Failure('transient', 'Unreachable', `${textOf(request)}: the connection was lost`);
}

const EVENT_PATH = /^\/api\/v1\/namespaces\/([^/]+)\/events(?:\/([^/]+))?$/;

/** The answer to a write of an event that nobody reads; undefined for other requests. */
function acceptedEvent({
  method,
  path,
  body = new Uint8Array(),
}: TransportRequest): TransportResponse | undefined {
  const [, namespace, name] = method === 'POST' || method === 'PATCH' ? (EVENT_PATH.exec(path) ?? []) : [];
  if (namespace === undefined) return undefined;
  if (name === undefined) return { status: 201, headers: {}, body: once(body) };
  const object = { apiVersion: 'v1', kind: 'Event', metadata: { name, namespace } };
  return { status: 200, headers: {}, body: once(new TextEncoder().encode(JSON.stringify(object))) };
}

const REASONS = { 409: 'Conflict', 410: 'Expired', 429: 'TooManyRequests', 500: 'InternalError' } as const;

function refusal(code: keyof typeof REASONS): TransportResponse {
  const reason = REASONS[code];
  const details = code === 429 ? { retryAfterSeconds: 2 } : {};
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, details };
  const body = new TextEncoder().encode(JSON.stringify({ ...status, message: `${reason}, injected` }));
  return { status: code, headers: code === 429 ? { 'retry-after': '2' } : {}, body: once(body) };
}

async function wholeBody({ body }: TransportResponse): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return joinBytes(pieces);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
