/**
 * A transport through which nothing is written unless one may: by a leader, for as long as it surely leads.
 */
import { cancelledFailure, type Transport } from './transport.ts';

export function guardedTransport(transport: Transport, mayWrite: () => boolean): Transport {
  return {
    async send(request) {
      if (request.method !== 'GET' && !mayWrite()) throw cancelledFailure(request);
      return await transport.send(request);
    },
  };
}
