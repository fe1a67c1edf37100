/**
 * The transport over `fetch`, for browsers, which manage connections, certificates and limits.
 */
import { type Transport, type TransportRequest, transportFailure } from './transport.ts';

type FetchTransportOptions = {
  readonly fetch: Fetch;
  /** The prefix of all URLs; empty for the page's own server. */
  readonly url: string;
  readonly token?: () => Promise<string | undefined>;
};

/** The part of `fetch` that is used here. */
type Fetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: { [name: string]: string };
    readonly body?: Uint8Array<ArrayBuffer>;
    readonly signal?: AbortSignal;
  },
) => Promise<FetchResponse>;

type FetchResponse = {
  readonly status: number;
  readonly headers: { forEach(call: (value: string, name: string) => void): void };
  readonly body: { getReader(): FetchReader } | null;
};

type FetchReader = {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
};

export function createFetchTransport({ fetch, url, token }: FetchTransportOptions): Transport {
  return {
    async send(request) {
      const { method, path, query, headers, body, signal } = request;
      try {
        const bearer = await token?.();
        const response = await fetch(`${url}${path}${query === '' ? '' : `?${query}`}`, {
          method,
          headers: { ...headers, ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }) },
          ...(body === undefined ? {} : { body: new Uint8Array(body) }),
          ...(signal === undefined ? {} : { signal }),
        });
        const found: { [name: string]: string } = {};
        response.headers.forEach((value, name) => {
          found[name.toLowerCase()] = value;
        });
        return { status: response.status, headers: found, body: bodyOf(response, request) };
      } catch (error) {
        throw transportFailure(request, error);
      }
    },
  };
}

/** With a reader: not every browser can iterate over a stream. */
async function* bodyOf({ body }: FetchResponse, request: TransportRequest): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  let isSpent = false;
  try {
    while (!isSpent) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        isSpent = true;
        throw transportFailure(request, error);
      });
      isSpent = done;
      if (value !== undefined) yield value;
    }
  } finally {
    if (!isSpent) await reader.cancel();
  }
}
