/**
 * A conversation with the API server on behalf of a person at a terminal: requests as kubectl makes them.
 *
 * Controllers use `Kube`, which knows the kinds that it asks for. Here any kind may be asked for, as a table or as it is,
 * and what the server warns of is passed on.
 */
import type { Clock } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import type { Json } from '../../base/json.ts';
import { waited } from '../../base/waiting.ts';
import {
  KubeError,
  type Method,
  queryText,
  refusedBy,
  type Transport,
} from '../../kubernetes/client/index.ts';
import { type ApiResource, pathsOfGroups, resourcesOfGroups, resourcesOfList } from './api-resource.ts';

type Ask = {
  /** GET where nothing is said. */
  readonly method?: Method;
  readonly path: string;
  readonly query?: { readonly [name: string]: string | number | undefined };
  readonly accept?: string;
  readonly body?: Json;
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
};

type Answer = { readonly status: number; readonly body: unknown };

type SessionOptions = {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Where those look who name no namespace. */
  readonly namespace: string;
  /** Called once for each thing that the server warns of. */
  readonly warn: (text: string) => void;
};

/** A list of all that there is in a large cluster stays below it. */
const MAX_ANSWER_BYTES = 512 * 1024 * 1024;
/** How often one request is made where the server is too busy and says when to come again. */
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

  /** Throws a `KubeError` where the server refuses, and a transient `Failure` where it does not answer. */
  async ask(ask: Ask): Promise<Answer> {
    const { status, body } = await this.#send(ask);
    const text = await readText(body);
    try {
      return { status, body: JSON.parse(text) };
    } catch {
      // The parser quotes what it cannot read, and that may be a secret.
      throw new Failure('transient', 'BadAnswer', `${ask.path}: the answer of the server is no JSON`);
    }
  }

  /** The pieces of an answer that goes on until the signal is aborted. */
  async open(ask: Ask): Promise<AsyncIterable<Uint8Array>> {
    return (await this.#send(ask)).body;
  }

  /** What the server serves, in its order. */
  resources(): Promise<readonly ApiResource[]> {
    this.#resources ??= this.#discover();
    return this.#resources;
  }

  /** The same once more, where something may have been added. */
  resourcesAnew(): Promise<readonly ApiResource[]> {
    this.#resources = undefined;
    return this.resources();
  }

  async #send(ask: Ask) {
    for (let attempt = 1; ; attempt++) {
      const response = await this.#transport.send(requestOf(ask));
      const { status, headers, body } = response;
      for (const text of warningsIn(headers.warning)) this.#tell(text);
      if (status >= 200 && status < 300) return response;
      const refused = refusedBy(
        { code: status, body: await readText(body), retryAfter: headers['retry-after'] },
        `${ask.method ?? 'GET'} ${ask.path}`,
      );
      const delayMs = retryDelay(refused);
      if (delayMs === undefined || attempt >= MAX_ATTEMPTS) throw refused;
      const signal = ask.signal ?? new AbortController().signal;
      if (!(await waited(this.clock, { delayMs, signal }))) throw refused;
    }
  }

  #tell(text: string): void {
    if (this.#warnings.has(text)) return;
    this.#warnings.add(text);
    this.#warn(text);
  }

  async #discover(): Promise<readonly ApiResource[]> {
    const [core, groups] = await Promise.all(
      ['/api', '/apis'].map((path) => this.ask({ path, accept: ACCEPT_DISCOVERY })),
    );
    const all = await Promise.all([
      resourcesOfGroups(core?.body) ?? this.#listed(['/api/v1']),
      resourcesOfGroups(groups?.body) ?? this.#listed(pathsOfGroups(groups?.body)),
    ]);
    return all.flat();
  }

  /** Servers before 1.27 tell of each version by itself. An extension that is down takes no other kind with it. */
  async #listed(paths: readonly string[]): Promise<readonly ApiResource[]> {
    const lists = paths.map(async (path) => {
      try {
        return resourcesOfList((await this.ask({ path })).body);
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

function requestOf({ method = 'GET', path, query = {}, accept, body, contentType, signal }: Ask) {
  const headers = { accept: accept ?? 'application/json', 'user-agent': 'millwright' };
  return {
    ...{ method, path, query: queryText(query) },
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
    if (size > MAX_ANSWER_BYTES) throw new Failure('transient', 'BadAnswer', 'the answer has no end');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
