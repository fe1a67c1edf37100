/**
 * A transport through which nothing is written unless one may: by a leader, for as long as it surely leads.
 *
 * What is under way when the term is over is cut off. An answer may be waited for longer than the Lease keeps others away,
 * and a write that lies in some buffer until then would undo what the next leader has done since.
 */
import { onAbort } from '../../base/waiting.ts';
import {
  cancelledFailure,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  unlessAborted,
} from './transport.ts';

/** `over`: when the term is, see `Term`. */
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
    // Once the server answers it has done what it was asked for.
    forget();
  }
}
