/**
 * The way to a server and back: one request, one answer, as plain objects.
 *
 * Everything above it is the same whether the server is at the other end of a socket (`transport-node.ts`), in this
 * process (`in-process-transport.ts`) or behind a browser (`transport-fetch.ts`).
 */
import { Failure } from '../../base/errors.ts';
import { onAbort } from '../../base/waiting.ts';

export interface Transport {
  /**
   * Resolves with whatever the server answers, also with a refusal. Rejects with a transient `Failure` where there is no
   * answer, and with a cancelled one where the signal ended the wait. At most reads are tried a second time.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
}

export type TransportRequest = {
  readonly method: Method;
  /** Escaped: `/api/v1/namespaces/a%20b`. */
  readonly path: string;
  /** Behind the question mark, escaped; empty where there is none. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string };
  readonly body?: Uint8Array;
  /** Ends the request and its answer, however far they have come. */
  readonly signal?: AbortSignal;
};

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type TransportResponse = {
  readonly status: number;
  /** Names in lower case; what came more than once is joined by commas. */
  readonly headers: { readonly [name: string]: string | undefined };
  /** Read once. Whoever stops before its end says so (`break`, `return`) or aborts the signal. */
  readonly body: AsyncIterable<Uint8Array>;
};

/** Why there is no answer: nobody wants it any more, the server could not be reached, or the connection did not last. */
export function transportFailure(request: TransportRequest, cause: unknown): Failure {
  if (request.signal?.aborted === true) return cancelledFailure(request);
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Failure('transient', 'Unreachable', `${requestText(request)}: ${why}`, cause);
}

export function cancelledFailure(request: Pick<TransportRequest, 'method' | 'path'>): Failure {
  return new Failure('cancelled', 'Cancelled', `${requestText(request)}: no longer wanted`);
}

/** For messages: what was asked, without the query, which may be long. */
export function requestText({ method, path }: Pick<TransportRequest, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

/** A socket that is cut frees whoever waits at it, whatever the server still does. */
export function unlessAborted<T>(promise: Promise<T>, request: TransportRequest): Promise<T> {
  const { signal } = request;
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => reject(cancelledFailure(request)));
    promise.then(resolve, reject).then(forget, forget);
  });
}
