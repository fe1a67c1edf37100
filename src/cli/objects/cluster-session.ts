/**
 * A client of the API server for the kubectl-like commands.
 *
 * Controllers use `Kube` with typed resources. A session requests resources of any kind, as tables or objects, and passes
 * on the warnings of the server.
 */
import type { Clock } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import type { Json } from '../../base/json.ts';
import { sleep } from '../../base/waiting.ts';
import {
  KubeError,
  type Method,
  queryText,
  refusedBy,
  type Transport,
} from '../../kubernetes/client/index.ts';
import { type ApiResource, pathsOfGroups, resourcesOfGroups, resourcesOfList } from './api-resource.ts';

type SessionRequest = {
  /** Default: GET. */
  readonly method?: Method;
  readonly path: string;
  readonly query?: { readonly [name: string]: string | number | undefined };
  readonly accept?: string;
  readonly body?: Json;
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
};

type SessionResponse = {
  readonly status: number;
  readonly body: unknown;
  /** The time of the server, where it says so. */
  readonly date?: string;
};

type SessionOptions = {
  readonly transport: Transport;
  readonly clock: Clock;
  /** The default namespace. */
  readonly namespace: string;
  /** Called once for each distinct warning of the server. */
  readonly warn: (text: string) => void;
};

/** Large enough for an unpaginated list in a large cluster. */
const MAX_RESPONSE_BYTES = 512 * 1024 * 1024;
/** Limits retries of requests rejected with Retry-After. */
const MAX_ATTEMPTS = 5;
const MAX_RETRY_MS = 30_000;

export class ClusterSession {
  readonly namespace: string;
  readonly clock: Clock;
  readonly #transport: Transport;
  readonly #warn: (text: string) => void;
  readonly #warnings = new Set<string>();
  #resources: Promise<readonly ApiResource[]> | undefined;

  constructor({ transport, clock, namespace, warn }: SessionOptions) {
    this.#transport = transport;
    this.clock = clock;
    this.namespace = namespace;
    this.#warn = warn;
  }

  /** Throws a `KubeError` if the server rejects the request, and a transient `Failure` if it is unreachable. */
  async request(request: SessionRequest): Promise<SessionResponse> {
    const { status, body, headers } = await this.#send(request);
    const text = await readText(body);
    try {
      return { status, body: JSON.parse(text), ...(headers.date && { date: headers.date }) };
    } catch {
      // The parser's message would quote the body, which may contain a secret.
      throw new Failure('transient', 'BadAnswer', `${request.path}: the response of the server is not JSON`);
    }
  }

  /** The chunks of a response that may continue until the signal is aborted. */
  async stream(request: SessionRequest): Promise<AsyncIterable<Uint8Array>> {
    return (await this.#send(request)).body;
  }

  /** The served resources, in the order of the server. */
  resources(): Promise<readonly ApiResource[]> {
    this.#resources ??= this.#discover();
    return this.#resources;
  }

  /** Repeats discovery. */
  refreshResources(): Promise<readonly ApiResource[]> {
    this.#resources = undefined;
    return this.resources();
  }

  async #send(request: SessionRequest) {
    for (let attempt = 1; ; attempt++) {
      const response = await this.#transport.send(requestOf(request));
      const { status, headers, body } = response;
      for (const text of warningsIn(headers.warning)) this.#warnOnce(text);
      if (status >= 200 && status < 300) return response;
      const rejected = refusedBy(
        { code: status, body: await readText(body), retryAfter: headers['retry-after'] },
        `${request.method ?? 'GET'} ${request.path}`,
      );
      const delayMs = retryDelay(rejected);
      if (delayMs === undefined || attempt >= MAX_ATTEMPTS) throw rejected;
      const signal = request.signal ?? new AbortController().signal;
      if (!(await sleep(this.clock, { delayMs, signal }))) throw rejected;
    }
  }

  #warnOnce(text: string): void {
    if (this.#warnings.has(text)) return;
    this.#warnings.add(text);
    this.#warn(text);
  }

  async #discover(): Promise<readonly ApiResource[]> {
    const [core, groups] = await Promise.all(
      ['/api', '/apis'].map((path) => this.request({ path, accept: ACCEPT_DISCOVERY })),
    );
    const all = await Promise.all([
      resourcesOfGroups(core?.body) ?? this.#listed(['/api/v1']),
      resourcesOfGroups(groups?.body) ?? this.#listed(pathsOfGroups(groups?.body)),
    ]);
    return all.flat();
  }

  /** For servers before 1.27, without aggregated discovery. An unavailable extension API is skipped. */
  async #listed(paths: readonly string[]): Promise<readonly ApiResource[]> {
    const lists = paths.map(async (path) => {
      try {
        return resourcesOfList((await this.request({ path })).body);
      } catch (error) {
        if (error instanceof KubeError) return [];
        throw error;
      }
    });
    return (await Promise.all(lists)).flat();
  }
}

const ACCEPT_DISCOVERY =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';

function requestOf({ method = 'GET', path, query = {}, accept, body, contentType, signal }: SessionRequest) {
  const headers = { accept: accept ?? 'application/json', 'user-agent': 'millwright' };
  return {
    method,
    path,
    query: queryText(query),
    ...(body === undefined
      ? { headers }
      : {
          headers: { ...headers, 'content-type': contentType ?? 'application/json' },
          body: new TextEncoder().encode(JSON.stringify(body)),
        }),
    ...(signal === undefined ? {} : { signal }),
  };
}

function retryDelay({ code, retryAfterMs }: KubeError): number | undefined {
  const isBusy = code === 429 || code === 503;
  return isBusy && retryAfterMs !== undefined && retryAfterMs <= MAX_RETRY_MS ? retryAfterMs : undefined;
}

/** `299 - "text"`, several separated by commas. */
function warningsIn(header: string | undefined): readonly string[] {
  return [...(header ?? '').matchAll(/\b299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replaceAll(/\\(.)/g, '$1'),
  );
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let size = 0;
  let text = '';
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) throw new Failure('transient', 'BadAnswer', 'the response is too large');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
