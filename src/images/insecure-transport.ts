/**
 * The way to registries that are called insecure: HTTPS, whoever vouches for it, and plain HTTP where nobody answers that.
 *
 * For reading: what is asked twice does no harm then.
 */
import { Failure } from '../base/errors.ts';
import type { RegistryTransport } from './transport.ts';

/** The transport must take any certificate; the client over it must ask for plain HTTP. */
export function createInsecureTransport(transport: RegistryTransport): RegistryTransport {
  /** Hosts that have answered plain HTTP only. */
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
