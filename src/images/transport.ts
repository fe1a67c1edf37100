/**
 * The way to registries and back: one request, one answer, as plain objects.
 *
 * It is not the one of `kube`: a client of registries follows redirects to whatever host, proves itself to each in
 * another way, and sends bodies that do not fit in memory.
 */
import { Failure } from '../base/errors.ts';

export interface RegistryTransport {
  /**
   * Resolves with whatever the server answers, also with a refusal or a redirect, which it does not follow. Rejects with
   * a transient `Failure` where there is no answer, and with a cancelled one where the signal ended the wait.
   */
  send(request: RegistryTransportRequest): Promise<RegistryTransportResponse>;
}

export type RegistryMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type RegistryTransportRequest = {
  readonly method: RegistryMethod;
  /** Absolute: `https://quay.io/v2/`. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string };
  /** What comes in pieces comes with its length in the headers. */
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
  /** Ends the request and its answer, however far they have come. */
  readonly signal?: AbortSignal;
};

export type RegistryTransportResponse = {
  readonly status: number;
  /** Names in lower case; what came more than once is joined by commas. */
  readonly headers: { readonly [name: string]: string | undefined };
  /** Read once. Whoever stops before its end says so (`break`, `return`). */
  readonly body: AsyncIterable<Uint8Array>;
};

/** For messages: without what stands behind the question mark, which may be a secret. */
export function urlText(url: string): string {
  return url.split('?', 1)[0] ?? '';
}

export function transportFailure(request: RegistryTransportRequest, why: string, cause?: unknown): Failure {
  if (request.signal?.aborted === true) return cancelledFailure(request);
  return new Failure('transient', 'Unreachable', `${titled(request)}: ${why}`, cause);
}

export function cancelledFailure(request: Pick<RegistryTransportRequest, 'method' | 'url'>): Failure {
  return new Failure('cancelled', 'Cancelled', `${titled(request)}: no longer wanted`);
}

/** `Get "https://quay.io/v2/"`, as containers' tools say it. */
function titled({ method, url }: Pick<RegistryTransportRequest, 'method' | 'url'>): string {
  return `${method.charAt(0)}${method.slice(1).toLowerCase()} ${JSON.stringify(urlText(url))}`;
}
