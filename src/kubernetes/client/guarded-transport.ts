/**
 * A transport that writes only while the process is certain to be the leader.
 *
 * Requests in flight are aborted when the term is over. A response may take longer than the Lease lasts, and a write that is
 * buffered until then would overwrite what the next leader has done.
 */
import { onAbort } from '../../base/waiting.ts';
import {
  cancelledFailure,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  unlessAborted,
} from './transport.ts';

/** `over`: aborted when the term is over, see `Term`. */
export function guardedTransport(
  transport: Transport,
  mayWrite: () => boolean,
  over: AbortSignal,
): Transport {
  return {
    async send(request) {
      if (request.method !== 'GET' && !mayWrite()) throw cancelledFailure(request);
      return await sendUntil(transport, request, over);
    },
  };
}

async function sendUntil(
  transport: Transport,
  request: TransportRequest,
  over: AbortSignal,
): Promise<TransportResponse> {
  const ending = new AbortController();
  const end = () => ending.abort();
  if (request.signal !== undefined) onAbort(request.signal, end);
  const forget = onAbort(over, end);
  const ended = { ...request, signal: ending.signal };
  try {
    return await unlessAborted(transport.send(ended), ended);
  } finally {
    // Once the server responds the request has been processed.
    forget();
  }
}
