/**
 * A transport to registries in this process, by host, without sockets, for tests and simulation. Other hosts are
 * unreachable.
 */

import { cancelledFailure, type RegistryTransport, transportFailure } from '../../images/index.ts';
import type { RegistryHandler, RegistryResponse } from './registry-http.ts';

export function createInProcessRegistryTransport(
  registries: ReadonlyMap<string, RegistryHandler>,
): RegistryTransport {
  return {
    async send(request) {
      if (request.signal?.aborted === true) throw cancelledFailure(request);
      const { host, pathname, search } = new URL(request.url);
      const handle = registries.get(host);
      if (handle === undefined)
        throw transportFailure(request, { why: `dial tcp: lookup ${host}: no such host` });
      const { status, headers, body } = await handle({
        method: request.method,
        path: pathname,
        query: search.slice(1),
        headers: request.headers,
        body: pieces(request.body ?? new Uint8Array()),
      });
      return { status, headers, body: pieces(body) };
    },
  };
}

async function* pieces(body: RegistryResponse['body']): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) yield body;
  else yield* body;
}
