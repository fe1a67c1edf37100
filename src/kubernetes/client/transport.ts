/**
 * The transport to a server: one request, one response, as plain objects.
 *
 * Everything above it is the same whether the server is at the other end of a socket (`transport-node.ts`) or in this
 * process (`in-process-transport.ts`).
 */
import { Failure } from '../../base/errors.ts';
import { onAbort } from '../../base/waiting.ts';

export interface Transport {
  /**
   * Resolves with the server's response, also with a refusal. Rejects with a transient `Failure` where there is none, and
   * with a cancelled one where the signal was aborted. Only reads are ever repeated.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
}

export type TransportRequest = {
  readonly method: Method;
  /** Escaped: `/api/v1/namespaces/a%20b`. */
  readonly path: string;
  /** The query, escaped; empty where there is none. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string };
  readonly body?: Uint8Array;
  /** Aborts the request and its response. */
  readonly signal?: AbortSignal;
};

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type TransportResponse = {
  readonly status: number;
  /** Names in lower case; repeated headers are joined by commas. */
  readonly headers: { readonly [name: string]: string | undefined };
  /** Can be read once. A reader that stops early must end the iteration or abort the signal. */
  readonly body: AsyncIterable<Uint8Array>;
};

/** Why there is no response: cancelled, server unreachable, or connection lost. */
export function transportFailure(request: TransportRequest, cause: unknown): Failure {
  if (request.signal?.aborted === true) return cancelledFailure(request);
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Failure('transient', 'Unreachable', `${requestText(request)}: ${why}`, cause);
}

export function cancelledFailure(request: Pick<TransportRequest, 'method' | 'path'>): Failure {
  return new Failure('cancelled', 'Cancelled', `${requestText(request)}: no longer wanted`);
}

/** The request in messages, without the query, which may be long. */
export function requestText({ method, path }: Pick<TransportRequest, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

/** Rejects when the signal is aborted, even if the transport does not. */
export function unlessAborted<T>(promise: Promise<T>, request: TransportRequest): Promise<T> {
  const { signal } = request;
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => reject(cancelledFailure(request)));
    promise.then(resolve, reject).then(forget, forget);
  });
}
