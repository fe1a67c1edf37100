/**
 * Requests to a server with rate limit, timeouts, refusals as `KubeError`, and `Retry-After` honoured within limits.
 *
 *     rate limit ──> transport ──> response in time? ──> 2xx: JSON
 *         ^                            │
 *         └── all wait ─────── 429, 503 with Retry-After      everything else: thrown
 */
import type { Env } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import { sleep, withinLimit } from '../../base/waiting.ts';
import { KubeError, refusedBy } from './kube-error.ts';
import { DEFAULT_REQUEST_LIMITS, type RequestLimits } from './request-limits.ts';
import { TokenBucket } from './token-bucket.ts';
import {
  cancelledFailure,
  type Method,
  requestText,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts';

type RequestsOptions = {
  readonly transport: Transport;
  readonly env: Pick<Env, 'clock' | 'random' | 'signal'>;
  readonly userAgent?: string;
  readonly limits?: Partial<RequestLimits>;
};

/** The limit of the body of a refusal. */
const MAX_REFUSAL_BYTES = 1024 * 1024;
/** Requests that wait for the same time are spread after it. */
const RETRY_SPREAD = 0.1;

export type Ask = {
  readonly method: Method;
  readonly path: string;
  readonly query?: string;
  /** Sent as JSON. */
  readonly body?: object;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
  /** Refusals that the caller handles; they are not retried. */
  readonly isAnswer?: (error: KubeError) => boolean;
};

export class Requests {
  readonly #transport: Transport;
  readonly #env: RequestsOptions['env'];
  readonly #userAgent: string;
  readonly #limits: RequestLimits;
  readonly #bucket: TokenBucket;
  /** The end of the server's `Retry-After`. */
  #quietUntil = 0;

  constructor({ transport, env, userAgent = 'millwright', limits }: RequestsOptions) {
    this.#transport = transport;
    this.#env = env;
    this.#userAgent = userAgent;
    this.#limits = { ...DEFAULT_REQUEST_LIMITS, ...limits };
    this.#bucket = new TokenBucket(this.#limits.rate, env.clock);
  }

  /** The parsed response. */
  async ask(ask: Ask): Promise<unknown> {
    const { attempts, retryMs } = this.#limits;
    let waitedMs = 0;
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#turn(ask);
        return await this.#answer(ask);
      } catch (error) {
        const delayMs = this.#delayFor(error, ask);
        if (delayMs === undefined || attempt >= attempts || waitedMs + delayMs > retryMs) throw error;
        waitedMs += delayMs;
        // The server is overloaded: all requests wait.
        this.#quietUntil = Math.max(this.#quietUntil, this.#env.clock.monotonic() + delayMs);
        if (!(await this.#wait(delayMs, ask))) throw error;
      }
    }
  }

  /**
   * The beginning of a streamed response. Its signal ends it and must be aborted by the caller in any case: a response that
   * came too late is still open.
   */
  async open(ask: Ask & { readonly signal: AbortSignal }): Promise<TransportResponse> {
    await this.#turn(ask);
    const response = await this.#inTime(ask, this.#transport.send(this.#request(ask, ask.signal)));
    if (isSuccess(response)) return response;
    throw await this.#inTime(ask, refusal(response, ask));
  }

  async #answer(ask: Ask): Promise<unknown> {
    const ended = new AbortController();
    try {
      return await this.#inTime(ask, this.#exchange(ask, ended.signal));
    } catch (error) {
      // The response may still be open. One that was read to its end is not, and aborting costs more than it looks.
      ended.abort();
      throw error;
    }
  }

  async #exchange(ask: Ask, signal: AbortSignal): Promise<unknown> {
    const response = await this.#transport.send(this.#request(ask, signal));
    if (!isSuccess(response)) throw await refusal(response, ask);
    const text = await readText(response.body, this.#limits.answerBytes);
    if (text === undefined) throw badAnswer(ask, 'it is too long');
    try {
      return JSON.parse(text);
    } catch {
      // The parser's message quotes the text, which may contain secrets.
      throw badAnswer(ask, 'it is no JSON');
    }
  }

  /**
   * Waits for the rate limit and the server's `Retry-After`. A stopping process does not wait, but may still send its last
   * requests.
   */
  async #turn(ask: Ask): Promise<void> {
    if (ask.signal?.aborted === true) throw cancelledFailure(ask);
    const quietMs = this.#spread(this.#quietUntil - this.#env.clock.monotonic());
    const delayMs = Math.max(this.#bucket.reserve(), quietMs);
    if (delayMs > 0 && !(await this.#wait(delayMs, ask))) throw cancelledFailure(ask);
  }

  #wait(delayMs: number, { signal }: Ask): Promise<boolean> {
    return sleep(this.#env.clock, { delayMs, signal: signal ?? this.#env.signal });
  }

  #delayFor(error: unknown, { isAnswer }: Ask): number | undefined {
    if (!(error instanceof KubeError) || isAnswer?.(error) === true) return undefined;
    if (error.retryAfterMs === undefined || (error.code !== 429 && error.code !== 503)) return undefined;
    return this.#spread(error.retryAfterMs);
  }

  #spread(delayMs: number): number {
    return delayMs <= 0 ? 0 : delayMs * (1 + RETRY_SPREAD * this.#env.random.next());
  }

  async #inTime<T>(ask: Ask, promise: Promise<T>): Promise<T> {
    const limitMs = this.#limits.answerMs;
    const outcome = await withinLimit(this.#env.clock, { promise, limitMs, signal: ask.signal });
    switch (outcome.kind) {
      case 'settled':
        return outcome.value;
      case 'aborted':
        throw cancelledFailure(ask);
      case 'late':
        throw new Failure(
          'transient',
          'Timeout',
          `${requestText(ask)}: no answer within ${limitMs / 1000} s`,
        );
    }
  }

  #request(
    { method, path, query = '', body, contentType = 'application/json' }: Ask,
    signal: AbortSignal,
  ): TransportRequest {
    const headers = { accept: 'application/json', 'user-agent': this.#userAgent };
    if (body === undefined) return { method, path, query, headers, signal };
    const bytes = encoder.encode(JSON.stringify(body));
    return { method, path, query, headers: { ...headers, 'content-type': contentType }, body: bytes, signal };
  }
}

const encoder = new TextEncoder();

function isSuccess({ status }: TransportResponse): boolean {
  return status >= 200 && status < 300;
}

async function refusal({ status, headers, body }: TransportResponse, ask: Ask): Promise<KubeError> {
  const text = (await readText(body, MAX_REFUSAL_BYTES)) ?? '';
  return refusedBy({ code: status, body: text, retryAfter: headers['retry-after'] }, requestText(ask));
}

function badAnswer(ask: Ask, why: string): Failure {
  return new Failure('transient', 'BadAnswer', `${requestText(ask)}: the answer cannot be read: ${why}`);
}

/** Undefined where it is longer than the limit. */
async function readText(body: AsyncIterable<Uint8Array>, limitBytes: number): Promise<string | undefined> {
  let size = 0;
  let text = '';
  let last: Uint8Array = new Uint8Array();
  // Most responses have one chunk, and decoding it as part of a stream takes several times as long.
  let stream: typeof wholeDecoder | undefined;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limitBytes) return undefined;
    if (last.length > 0) {
      stream ??= new TextDecoder();
      text += stream.decode(last, { stream: true });
    }
    last = chunk;
  }
  return text + (stream ?? wholeDecoder).decode(last);
}

const wholeDecoder = new TextDecoder();
