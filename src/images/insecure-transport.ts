/**
 * The transport to insecure registries: HTTPS with any certificate, or plain HTTP where HTTPS fails.
 *
 * Only for reads, as requests may be sent twice.
 */
import { Failure } from '../base/errors.ts';
import type { RegistryTransport } from './transport.ts';

/** The given transport must accept any certificate; the client must request plain HTTP. */
export function createInsecureTransport(transport: RegistryTransport): RegistryTransport {
  /** Hosts with plain HTTP only. */
  const plain = new Set<string>();
  return {
    async send(request) {
      const { protocol, host } = new URL(request.url);
      if (protocol !== 'http:' || plain.has(host)) return await transport.send(request);
      try {
        return await transport.send({ ...request, url: request.url.replace(/^http:/, 'https:') });
      } catch (error) {
        if (!(error instanceof Failure) || error.kind !== 'transient') throw error;
      }
      const response = await transport.send(request);
      plain.add(host);
      return response;
    },
  };
}
