/**
 * Requests to registries with authentication, redirects, retries where
 * there was no response, and timeouts.
 *
 *  request ──> authorization ──> send ──> redirect? follow, without credentials for another host
 *                ^                 │
 *                │                 ├── 401: get the authorization, once
 *                └── wait ─────────┴── no response, 429, 5xx: retry a few times      anything else is the result
 */
import type { Env } from '../base/env.ts';
import { Failure } from '../base/errors.ts';
import { delayAfter, sleep } from '../base/waiting.ts';
import type { Credentials } from './auth-file.ts';
import { type Access, Authenticator } from './authenticator.ts';
import { isTransientStatus } from './error-response.ts';
import { apiHost } from './image-reference.ts';
import type { RegistryLimits } from './limits.ts';
import { inTime, paced } from './paced.ts';
import { readBytes } from './read-bytes.ts';
import {
  cancelledFailure,
  type RegistryMethod,
  type RegistryTransport,
  type RegistryTransportResponse,
  urlText,
} from './transport.ts';

type RequestsOptions = {
  readonly transport: RegistryTransport;
  readonly env: Pick<Env, 'clock' | 'random' | 'signal'>;
  readonly credentialsFor: (repository: string) => Credentials | undefined;
  readonly isPlainHttp: (host: string) => boolean;
  readonly userAgent: string;
  readonly limits: RegistryLimits;
};

export type RegistryRequest = {
  readonly host: string;
  readonly repository: string;
  readonly actions: 'pull' | 'pull,push' | 'delete';
  /** A further repository that is read, for a mount. */
  readonly alsoPull?: string | undefined;
  readonly method: RegistryMethod;
  /** Below `/v2/<repository>/`, or a URL that the registry sent. */
  readonly to: { readonly path: string } | { readonly url: string };
  readonly headers?: { readonly [name: string]: string };
  /** Called for each attempt. */
  readonly body?: () => Uint8Array | AsyncIterable<Uint8Array>;
  /** Reads are retried by default; writes only where that is safe. */
  readonly isRepeatable?: boolean;
  readonly signal?: AbortSignal | undefined;
};

/** With its URL, for relative URLs. */
export type RegistryResponse = RegistryTransportResponse & { readonly url: string };

export class Requests {
  readonly #options: RequestsOptions;
  readonly #authenticator: Authenticator;

  constructor(options: RequestsOptions) {
    this.#options = options;
    const { env, ...others } = options;
    this.#authenticator = new Authenticator({
      ...others,
      clock: env.clock,
      stalledMs: options.limits.stalledMs,
    });
  }

  /** Any response, also an error. Throws where there is none. */
  async ask(ask: RegistryRequest): Promise<RegistryResponse> {
    const { attempts } = this.#options.limits;
    const isRepeatable = ask.isRepeatable ?? (ask.method === 'GET' || ask.method === 'HEAD');
    for (let attempt = 1; ; attempt++) {
      const isLast = !isRepeatable || attempt >= attempts;
      let delayMs: number | undefined;
      try {
        const answer = await this.#authenticated(ask);
        if (!isTransientStatus(answer.status) || isLast) return answer;
        delayMs = this.#retryAfter(answer);
        if (delayMs === undefined) return answer;
        await discard(answer);
      } catch (error) {
        if (isLast || !(error instanceof Failure) || error.kind !== 'transient') throw error;
      }
      const ladder = delayAfter(this.#options.limits.retry, attempt - 1, this.#options.env.random);
      await this.wait(Math.max(ladder, delayMs ?? 0), ask);
    }
  }

  /** Throws where the request is cancelled. */
  async wait(delayMs: number, ask: Pick<RegistryRequest, 'method' | 'host' | 'signal'>): Promise<void> {
    if (await sleep(this.#options.env.clock, { delayMs, signal: this.#signalOf(ask) })) return;
    throw cancelledFailure({ method: ask.method, url: this.baseUrl(ask.host) });
  }

  baseUrl(host: string): string {
    return `${this.#options.isPlainHttp(host) ? 'http' : 'https'}://${apiHost(host)}/v2/`;
  }

  /** 0 without `Retry-After`; undefined where that is too long. */
  #retryAfter({ headers }: RegistryTransportResponse): number | undefined {
    const seconds = Number(headers['retry-after'] ?? '0');
    const delayMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
    return delayMs > this.#options.limits.maxRetryAfterMs ? undefined : delayMs;
  }

  async #authenticated(ask: RegistryRequest): Promise<RegistryResponse> {
    const access = this.#accessOf(ask);
    const sent = await this.#authenticator.authorization(access);
    const answer = await this.#followed(ask, sent);
    // Challenges of redirect targets are ignored: they must not get credentials.
    if (answer.status !== 401 || !this.#isOwnHost(ask, answer.url)) return answer;
    const header = answer.headers['www-authenticate'];
    const better = await this.#authenticator.answer(access, { sent, header });
    if (better === undefined) return answer;
    await discard(answer);
    return await this.#followed(ask, better);
  }

  async #followed(ask: RegistryRequest, authorization: string | undefined): Promise<RegistryResponse> {
    let url = 'url' in ask.to ? ask.to.url : `${this.baseUrl(ask.host)}${ask.repository}/${ask.to.path}`;
    for (let redirects = 0; ; redirects++) {
      if (!this.#isSafe(new URL(url))) throw lost(url, 'is not a safe place to go to');
      const proof = this.#isOwnHost(ask, url) ? authorization : undefined;
      const answer = await this.#send(ask, url, proof);
      if (!isRedirect(answer.status, ask.method)) return { ...answer, url };
      await discard(answer);
      const { location } = answer.headers;
      if (redirects >= this.#options.limits.redirects) throw lost(url, 'redirects to too many places');
      if (location === undefined || !URL.canParse(location, url)) throw lost(url, 'redirects to nowhere');
      url = withoutUser(new URL(location, url));
    }
  }

  #isOwnHost({ host }: RegistryRequest, url: string): boolean {
    return new URL(url).origin === new URL(this.baseUrl(host)).origin;
  }

  /** Redirects from HTTPS to HTTP are rejected. */
  #isSafe({ protocol, host }: URL): boolean {
    return protocol === 'https:' || (protocol === 'http:' && this.#options.isPlainHttp(host));
  }

  async #send(
    ask: RegistryRequest,
    url: string,
    authorization: string | undefined,
  ): Promise<RegistryTransportResponse> {
    const { env, limits, transport, userAgent } = this.#options;
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, this.#signalOf(ask)]);
    const request = {
      method: ask.method,
      url,
      signal,
      headers: {
        'user-agent': userAgent,
        ...ask.headers,
        ...(authorization === undefined ? {} : { authorization }),
      },
      ...(ask.body === undefined ? {} : { body: ask.body() }),
    };
    // There is no timeout for a request body as a whole: the transport times out a stalled one.
    const isStreamed = ask.body !== undefined && !(request.body instanceof Uint8Array);
    const pace = { clock: env.clock, stalledMs: limits.stalledMs, what: `${ask.method} ${urlText(url)}` };
    try {
      const sent = transport.send(request);
      const response = await (isStreamed ? sent : inTime(sent, pace));
      return { ...response, body: paced(response.body, pace) };
    } catch (error) {
      ended.abort();
      throw unreachable(ask, this.baseUrl(ask.host), error);
    }
  }

  /** Combines the signals of the request and of the client. */
  #signalOf({ signal }: Pick<RegistryRequest, 'signal'>): AbortSignal {
    const all = this.#options.env.signal;
    return signal === undefined ? all : AbortSignal.any([signal, all]);
  }

  #accessOf({ host, repository, actions, alsoPull, signal }: RegistryRequest): Access {
    const scopes = [`repository:${repository}:${actions}`];
    if (alsoPull !== undefined) scopes.push(`repository:${alsoPull}:pull`);
    return { host, repository, scopes, signal: this.#signalOf({ signal }) };
  }
}

const MAX_DISCARDED_BYTES = 64 * 1024;

/** Discards a response: a short one is read to its end, so that its connection can be reused. */
async function discard({ body }: RegistryTransportResponse): Promise<void> {
  await readBytes(body, MAX_DISCARDED_BYTES).catch(() => undefined);
}

function isRedirect(status: number, method: RegistryMethod): boolean {
  if (status === 307 || status === 308) return true;
  return (method === 'GET' || method === 'HEAD') && [301, 302, 303].includes(status);
}

/** A redirect must not set credentials. */
function withoutUser(url: URL): string {
  url.username = '';
  url.password = '';
  return url.href;
}

function lost(url: string, why: string): Failure {
  return new Failure('stalled', 'BadRedirect', `${urlText(url)} ${why}`);
}

/** The message of container tools, which ping the registry before any request. */
function unreachable({ host }: RegistryRequest, baseUrl: string, error: unknown): unknown {
  if (!(error instanceof Failure) || error.kind !== 'transient') return error;
  const why = error.message.replace(/^[A-Z][a-z]+ "[^"]*": /, '');
  const message = `pinging container registry ${host}: Get "${baseUrl}": ${why}`;
  return new Failure('transient', 'Unreachable', message, error);
}
