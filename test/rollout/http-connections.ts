/** The ways of a story's processes to a server behind sockets, each with its own proof of who it is. */

import { systemClock } from '../../src/base/env.ts';
import type { PemPair } from '../../src/certificates/index.ts';
import { createNodeTransport, type NodeTransportLimits } from '../../src/kubernetes/client/transport-node.ts';
import type { Connection } from './world-process.ts';

export type Proof = { readonly certificate: PemPair } | { readonly token: string };

export class Connections {
  readonly #authorityPem: string;
  readonly #open = new Set<{ close(): void }>();

  constructor(authorityPem: string) {
    this.#authorityPem = authorityPem;
  }

  open(port: number, proof: Proof, limits: Partial<NodeTransportLimits> = {}): Connection {
    const url = `https://127.0.0.1:${port}`;
    const proved = 'token' in proof ? { token: async () => proof.token } : proof;
    const access = { url, authorityPem: this.#authorityPem, ...proved };
    const transport = createNodeTransport({ access, clock: systemClock, limits });
    this.#open.add(transport);
    return { send: (request) => transport.send(request), breakOff: () => transport.close() };
  }

  /** None is left open. */
  close(): void {
    for (const transport of this.#open) transport.close();
  }
}
