/**
 * The transport to a server in this process: a function from request to response, called as a given user.
 *
 * The types repeat those of the embedded API server: this module must not depend on it.
 */
import {
  cancelledFailure,
  type Transport,
  type TransportResponse,
  transportFailure,
  unlessAborted,
} from './transport.ts';

export type InProcessUser = {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
};

type InProcessRequest = {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: { readonly [name: string]: string | undefined };
  readonly body: Uint8Array;
  readonly certificateUser?: InProcessUser;
  readonly signal?: AbortSignal;
};

type InProcessResponse = {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
};

type InProcessOptions = {
  readonly handle: (request: InProcessRequest) => Promise<InProcessResponse>;
  /** The user, as if authenticated by a certificate. Absent: authenticated by `token` only. */
  readonly user?: InProcessUser;
  /** Called before each request. */
  readonly token?: () => Promise<string | undefined>;
};

export function createInProcessTransport({ handle, user, token }: InProcessOptions): Transport {
  return {
    async send(request) {
      const { method, path, query, headers, body = new Uint8Array(), signal } = request;
      if (signal?.aborted === true) throw cancelledFailure(request);
      const bearer = await token?.();
      const asked: InProcessRequest = {
        ...{ method, path, query, body },
        headers: bearer === undefined ? headers : { ...headers, authorization: `Bearer ${bearer}` },
        ...(user === undefined ? {} : { certificateUser: user }),
        ...(signal === undefined ? {} : { signal }),
      };
      try {
        return responseOf(await unlessAborted(handle(asked), request));
      } catch (error) {
        throw transportFailure(request, error);
      }
    },
  };
}

function responseOf({ status, headers, body }: InProcessResponse): TransportResponse {
  const joined = new Map<string, string>();
  for (const [name, value] of headers) {
    const known = joined.get(name.toLowerCase());
    joined.set(name.toLowerCase(), known === undefined ? value : `${known}, ${value}`);
  }
  return {
    status,
    headers: Object.fromEntries(joined),
    body: body instanceof Uint8Array ? once(body) : body,
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
