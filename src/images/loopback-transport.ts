/**
 * The transport to registries of which some are on this machine. Those may use plain HTTP where they have no TLS at all, as
 * `docker` allows; one that has TLS is verified like any other.
 *
 * Only for reads, as requests may be sent twice.
 */
import { Failure } from '../base/errors.ts';
import { isLoopback } from './names.ts';
import { NOT_TLS, type RegistryTransport } from './transport.ts';

export function createLoopbackTransport(transport: RegistryTransport): RegistryTransport {
  return {
    async send(request) {
      const { protocol, host } = new URL(request.url);
      if (protocol !== 'https:' || !isLoopback(host)) return await transport.send(request);
      try {
        return await transport.send(request);
      } catch (error) {
        if (!(error instanceof Failure) || error.reason !== NOT_TLS) throw error;
      }
      return await transport.send({ ...request, url: request.url.replace(/^https:/, 'http:') });
    },
  };
}
