/**
 * The port to registries: one request, one response, as plain objects.
 *
 * It differs from the one of `kubernetes/client`: a registry client follows redirects to any host, authenticates to each in
 * another way, and streams large bodies.
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
  /** CAs in PEM format that are trusted for this request, in addition to those of the OS. */
  readonly authorityPem?: string;
  /** A stream requires its length in the headers. */
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
  /** Aborts the request and its response. */
  readonly signal?: AbortSignal;
};

export type RegistryTransportResponse = {
  readonly status: number;
  /** Names in lower case; repeated headers are joined by commas. */
  readonly headers: { readonly [name: string]: string | undefined };
  /** Can be read once. Readers that stop early must call `return`, as `break` does. */
  readonly body: AsyncIterable<Uint8Array>;
};

/** For messages: without the query, which may be secret. */
export function urlText(url: string): string {
  return url.split('?', 1)[0] ?? '';
}

/** The reason of a failure where the server does not speak TLS. */
export const NOT_TLS = 'NotTls';

type TransportProblem = {
  readonly why: string;
  readonly reason?: 'Unreachable' | typeof NOT_TLS;
  readonly cause?: unknown;
};

export function transportFailure(
  request: RegistryTransportRequest,
  { why, reason = 'Unreachable', cause }: TransportProblem,
): Failure {
  if (request.signal?.aborted === true) return cancelledFailure(request);
  return new Failure('transient', reason, `${titled(request)}: ${why}`, cause);
}

export function cancelledFailure(request: Pick<RegistryTransportRequest, 'method' | 'url'>): Failure {
  return new Failure('cancelled', 'Cancelled', `${titled(request)}: no longer wanted`);
}

/** `Get "https://quay.io/v2/"`, as in container tools. */
function titled({ method, url }: Pick<RegistryTransportRequest, 'method' | 'url'>): string {
  return `${method.charAt(0)}${method.slice(1).toLowerCase()} ${JSON.stringify(urlText(url))}`;
}
