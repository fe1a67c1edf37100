/** A way to a server that can be cut, with all that is under way on it. */
import type { Transport } from '../../src/kubernetes/client/index.ts';

export function cuttable(inner: Transport): {
  readonly transport: Transport;
  /** Ends what is open; nothing gets through until `release`. */
  readonly hold: () => void;
  readonly release: () => void;
} {
  let cut = new AbortController();
  return {
    transport: {
      async send(request) {
        const { signal } = cut;
        if (signal.aborted) throw new Error('connect ECONNREFUSED');
        const both = request.signal === undefined ? signal : AbortSignal.any([signal, request.signal]);
        return await inner.send({ ...request, signal: both });
      },
    },
    hold: () => cut.abort(),
    release: () => {
      cut = new AbortController();
    },
  };
}
