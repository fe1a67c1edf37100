/** Whether a component can work: the API server has accepted one of its requests. */
import type { Transport } from '../../kubernetes/client/index.ts';

type ObservedTransport = { readonly transport: Transport; readonly hasAnswered: () => boolean };

/** Not found is an answer too: the Lease does not exist before the first leader. */
const ACCEPTED: (status: number) => boolean = (status) => status < 400 || status === 404;

/** It stays true: a pod that becomes unready while the API server is away would help nobody. */
export function observeAnswers(transport: Transport): ObservedTransport {
  let isAnswered = false;
  return {
    hasAnswered: () => isAnswered,
    transport: {
      send: async (request) => {
        const response = await transport.send(request);
        if (!isAnswered) isAnswered = ACCEPTED(response.status);
        return response;
      },
    },
  };
}
