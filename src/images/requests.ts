/**
 * Requests to registries with all the care that each of them needs: proof of who asks, redirects, another try where
 * there was no answer, and no wait without end.
 *
 *     ask ──> authorization ──> send ──> redirect? follow, without the proof where the host is another
 *               ^                 │
 *               │                 ├── 401: get what is asked for, once
 *               └── wait ─────────┴── no answer, 429, 5xx: again, a few times      everything else is the answer
 */
import type { Env } from '../base/env.ts';
import { Failure } from '../base/errors.ts';
import { delayAfter, waited } from '../base/waiting.ts';
import type { Credentials } from './auth-file.ts';
import { type Access, Authenticator } from './authenticator.ts';
import { apiHost } from './image-reference.ts';
import type { RegistryLimits } from './limits.ts';
import { inTime, paced } from './paced.ts';
import { readBytes } from './read-bytes.ts';
import { isTransientStatus } from './refusal.ts';
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

export type Ask = {
  readonly host: string;
  readonly repository: string;
  readonly actions: 'pull' | 'pull,push' | 'delete';
  /** A repository that something is taken from along the way. */
  readonly alsoPull?: string | undefined;
  readonly method: RegistryMethod;
  /** Below `/v2/<repository>/`, or the address that the registry gave for it. */
  readonly to: { readonly path: string } | { readonly url: string };
  readonly headers?: { readonly [name: string]: string };
  /** Called for each attempt. */
  readonly body?: () => Uint8Array | AsyncIterable<Uint8Array>;
  /** Reads are tried again by themselves; writes only where their caller knows that to be harmless. */
  readonly isRepeatable?: boolean;
  readonly signal?: AbortSignal | undefined;
};

/** And where it came from, for addresses that are relative to it. */
export type Answer = RegistryTransportResponse & { readonly url: string };

export class Requests {
  readonly #options: RequestsOptions;
  readonly #authenticator: Authenticator;

  constructor(options: RequestsOptions) {
    this.#options = options;
    const { env, ...others } = options;
    this.#authenticator = new Authenticator({
      ...{ ...others, clock: env.clock, stalledMs: options.limits.stalledMs },
    });
  }

  /** Any answer, also a refusal. Throws where there is none. */
  async ask(ask: Ask): Promise<Answer> {
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

  /** Throws where nobody wants to wait any more. */
  async wait(delayMs: number, ask: Pick<Ask, 'method' | 'host' | 'signal'>): Promise<void> {
    if (await waited(this.#options.env.clock, { delayMs, signal: this.#signalOf(ask) })) return;
    throw cancelledFailure({ method: ask.method, url: this.baseUrl(ask.host) });
  }

  baseUrl(host: string): string {
    return `${this.#options.isPlainHttp(host) ? 'http' : 'https'}://${apiHost(host)}/v2/`;
  }

  /** 0 where the registry does not say; undefined where it wants to be left alone for long. */
  #retryAfter({ headers }: RegistryTransportResponse): number | undefined {
    const seconds = Number(headers['retry-after'] ?? '0');
    const delayMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
    return delayMs > this.#options.limits.maxRetryAfterMs ? undefined : delayMs;
  }

  async #authenticated(ask: Ask): Promise<Answer> {
    const access = this.#accessOf(ask);
    const sent = await this.#authenticator.authorization(access);
    const answer = await this.#followed(ask, sent);
    // Whoever else we were led to has no say in where our secrets go.
    if (answer.status !== 401 || !this.#isHome(ask, answer.url)) return answer;
    const header = answer.headers['www-authenticate'];
    const better = await this.#authenticator.answer(access, { sent, header });
    if (better === undefined) return answer;
    await discard(answer);
    return await this.#followed(ask, better);
  }

  async #followed(ask: Ask, authorization: string | undefined): Promise<Answer> {
    let url = 'url' in ask.to ? ask.to.url : `${this.baseUrl(ask.host)}${ask.repository}/${ask.to.path}`;
    for (let redirects = 0; ; redirects++) {
      if (!this.#isSafe(new URL(url))) throw lost(url, 'is not a safe place to go to');
      const proof = this.#isHome(ask, url) ? authorization : undefined;
      const answer = await this.#send(ask, url, proof);
      if (!isRedirect(answer.status, ask.method)) return { ...answer, url };
      await discard(answer);
      const { location } = answer.headers;
      if (redirects >= this.#options.limits.redirects) throw lost(url, 'redirects to too many places');
      if (location === undefined || !URL.canParse(location, url)) throw lost(url, 'redirects to nowhere');
      url = withoutUser(new URL(location, url));
    }
  }

  #isHome({ host }: Ask, url: string): boolean {
    return new URL(url).origin === new URL(this.baseUrl(host)).origin;
  }

  /** Nobody is led from where nobody listens to where everybody can. */
  #isSafe({ protocol, host }: URL): boolean {
    return protocol === 'https:' || (protocol === 'http:' && this.#options.isPlainHttp(host));
  }

  async #send(ask: Ask, url: string, authorization: string | undefined): Promise<RegistryTransportResponse> {
    const { env, limits, transport, userAgent } = this.#options;
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, this.#signalOf(ask)]);
    const request = {
      ...{ method: ask.method, url, signal },
      headers: {
        'user-agent': userAgent,
        ...ask.headers,
        ...(authorization === undefined ? {} : { authorization }),
      },
      ...(ask.body === undefined ? {} : { body: ask.body() }),
    };
    // A body may take as long as it likes, as long as the other side takes it: the transport sees to that.
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

  /** Whoever asks may stop caring, and so may everybody. */
  #signalOf({ signal }: Pick<Ask, 'signal'>): AbortSignal {
    const all = this.#options.env.signal;
    return signal === undefined ? all : AbortSignal.any([signal, all]);
  }

  #accessOf({ host, repository, actions, alsoPull, signal }: Ask): Access {
    const scopes = [`repository:${repository}:${actions}`];
    if (alsoPull !== undefined) scopes.push(`repository:${alsoPull}:pull`);
    return { host, repository, scopes, signal: this.#signalOf({ signal }) };
  }
}

const MAX_DISCARDED_BYTES = 64 * 1024;

/** Lets go of an answer that nobody reads: a short one is read to its end, so that its connection can be kept. */
async function discard({ body }: RegistryTransportResponse): Promise<void> {
  await readBytes(body, MAX_DISCARDED_BYTES).catch(() => undefined);
}

function isRedirect(status: number, method: RegistryMethod): boolean {
  if (status === 307 || status === 308) return true;
  return (method === 'GET' || method === 'HEAD') && [301, 302, 303].includes(status);
}

/** Nobody is told by a redirect who to be. */
function withoutUser(url: URL): string {
  url.username = '';
  url.password = '';
  return url.href;
}

function lost(url: string, why: string): Failure {
  return new Failure('stalled', 'BadRedirect', `${urlText(url)} ${why}`);
}

/** In the words of containers' tools, which try whether the registry is there before they ask it anything. */
function unreachable({ host }: Ask, baseUrl: string, error: unknown): unknown {
  if (!(error instanceof Failure) || error.kind !== 'transient') return error;
  const why = error.message.replace(/^[A-Z][a-z]+ "[^"]*": /, '');
  const message = `pinging container registry ${host}: Get "${baseUrl}": ${why}`;
  return new Failure('transient', 'Unreachable', message, error);
}
