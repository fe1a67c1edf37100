/**
 * A server with objects of one kind that misbehaves on request: it rejects, hangs, cuts, garbles, repeats and forgets.
 * Its responses are otherwise those of a real server: growing resource versions, pages of one version, events in order.
 */
import type {
  AnyObject,
  Transport,
  TransportRequest,
  TransportResponse,
} from '../../src/kubernetes/client/index.ts';
import { PushStream } from './push-stream.ts';

export type Thing = AnyObject & { readonly data?: { readonly [key: string]: string } };

/** What becomes of the next request instead of an answer. */
export type Fault =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly retryAfter?: number;
      readonly reason?: string;
    }
  | { readonly kind: 'text'; readonly status: number; readonly text: string }
  | { readonly kind: 'unreachable' | 'hang' };

type Happening = {
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly thing: Thing;
};

export type Asked = {
  readonly kind: 'list' | 'watch';
  readonly query: URLSearchParams;
  readonly atMs: number;
};

const PAGE_OF_TESTS = 3;

export class ScriptedServer implements Transport {
  readonly things = new Map<string, Thing>();
  readonly asked: Asked[] = [];
  readonly faults = { list: [] as Fault[], watch: [] as Fault[] };
  readonly watches = new Set<ServedWatch>();
  /** The size of pages; `limit` of the client is ignored. */
  pageItems = PAGE_OF_TESTS;
  #version = 100;
  #forgotten = 0;
  #uids = 0;
  readonly #history: Happening[] = [];
  readonly #clock: { monotonic(): number };

  constructor(clock: { monotonic(): number }) {
    this.#clock = clock;
  }

  get version(): number {
    return this.#version;
  }

  put(name: string, value = ''): void {
    const known = this.things.get(name);
    const uid = known?.metadata.uid ?? `uid-${++this.#uids}`;
    const metadata = { name, namespace: 'space', uid, resourceVersion: String(++this.#version) };
    const thing = { metadata, data: { value } };
    this.things.set(name, thing);
    this.#happen({ version: this.#version, type: known === undefined ? 'ADDED' : 'MODIFIED', thing });
  }

  delete(name: string): void {
    const known = this.things.get(name);
    if (known === undefined) return;
    this.things.delete(name);
    const metadata = { ...known.metadata, resourceVersion: String(++this.#version) };
    this.#happen({ version: this.#version, type: 'DELETED', thing: { ...known, metadata } });
  }

  /** Only what is now can be read, and what comes. */
  forget(): void {
    this.#forgotten = this.#version;
  }

  /** The server is restored from a copy of long ago, with what is given. */
  restore(version: number, names: readonly string[]): void {
    this.#version = version;
    this.#forgotten = 0;
    this.#history.length = 0;
    this.things.clear();
    for (const name of names) this.put(name, 'restored');
  }

  /** The line of something that has happened, counted from the newest. */
  pastLine(back: number): string | undefined {
    const happening = this.#history.at(-1 - back);
    return happening === undefined ? undefined : lineOf(happening);
  }

  count(kind: Asked['kind']): number {
    return this.asked.filter((asked) => asked.kind === kind).length;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const query = new URLSearchParams(request.query);
    const kind = query.get('watch') === 'true' ? 'watch' : 'list';
    this.asked.push({ kind, query, atMs: this.#clock.monotonic() });
    const fault = this.faults[kind].shift();
    if (fault !== undefined) return await this.#fail(fault, request);
    return kind === 'list' ? this.#list(query) : this.#watch(query, request);
  }

  async #fail(fault: Fault, { signal }: TransportRequest): Promise<TransportResponse> {
    switch (fault.kind) {
      case 'unreachable':
        throw new Error('connect ECONNREFUSED');
      case 'hang':
        return await new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(new Error('aborted')));
        });
      case 'text':
        return answer(fault.status, fault.text);
      case 'status': {
        const { status: code, retryAfter, reason } = fault;
        const body = JSON.stringify({ kind: 'Status', code, reason, message: `scripted ${code}` });
        return answer(code, body, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) });
      }
    }
  }

  #list(query: URLSearchParams): TransportResponse {
    const limit = query.has('limit')
      ? Math.min(this.pageItems, Number(query.get('limit')))
      : Number.MAX_SAFE_INTEGER;
    const [version = String(this.#version), from = '0'] = query.get('continue')?.split('/') ?? [];
    if (Number(version) < this.#forgotten) return expired();
    const all = this.#at(Number(version));
    const end = Number(from) + limit;
    const next = end < all.length ? `${version}/${end}` : '';
    const items = all.slice(Number(from), end);
    return answer(200, JSON.stringify({ metadata: { resourceVersion: version, continue: next }, items }));
  }

  /** All things as they were. */
  #at(version: number): readonly Thing[] {
    const then = new Map(this.things);
    for (const happening of this.#history.toReversed()) {
      if (happening.version <= version) break;
      then.delete(happening.thing.metadata.name);
      const before = this.#history.findLast(
        (one) => one.version < happening.version && one.thing.metadata.name === happening.thing.metadata.name,
      );
      if (before !== undefined && before.type !== 'DELETED')
        then.set(before.thing.metadata.name, before.thing);
    }
    return [...then.values()];
  }

  #watch(query: URLSearchParams, { signal }: TransportRequest): TransportResponse {
    const from = Number(query.get('resourceVersion'));
    if (from < this.#forgotten) return expired();
    const watch = new ServedWatch();
    this.watches.add(watch);
    watch.stream.whenClosed(() => this.watches.delete(watch));
    signal?.addEventListener('abort', () => watch.stream.end());
    for (const happening of this.#history) if (happening.version > from) watch.send(lineOf(happening));
    return { status: 200, headers: {}, body: watch.stream };
  }

  #happen(happening: Happening): void {
    this.#history.push(happening);
    for (const watch of this.watches) watch.send(lineOf(happening));
  }
}

/** One watch as the server holds it. */
export class ServedWatch {
  readonly stream = new PushStream();
  /** The watch stays open and sends nothing more. */
  isSilent: boolean = false;

  send(line: string): void {
    this.sendPiece(`${line}\n`);
  }

  sendPiece(text: string | Uint8Array): void {
    if (this.isSilent) return;
    this.stream.push(typeof text === 'string' ? new TextEncoder().encode(text) : text);
  }

  bookmark(version: number): void {
    const metadata = { resourceVersion: String(version), creationTimestamp: null };
    this.send(JSON.stringify({ type: 'BOOKMARK', object: { kind: 'ConfigMap', metadata } }));
  }

  error(code: number, more: object = {}): void {
    const status = { kind: 'Status', code, message: `scripted ${code}`, ...more };
    this.send(JSON.stringify({ type: 'ERROR', object: status }));
  }
}

function lineOf({ type, thing }: Happening): string {
  return JSON.stringify({ type, object: { apiVersion: 'v1', kind: 'ConfigMap', ...thing } });
}

function expired(): TransportResponse {
  const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' };
  return answer(410, JSON.stringify(status));
}

function answer(status: number, text: string, headers: TransportResponse['headers'] = {}): TransportResponse {
  const body = new PushStream();
  body.push(new TextEncoder().encode(text));
  body.end();
  return { status, headers, body };
}
