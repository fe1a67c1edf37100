/** The embedded server in this process and in simulated time, and clients of it whose connection can be cut. */
import { createApiServer, createMemoryStore } from '../../src/embedded/apiserver/index.ts';
import {
  createInProcessTransport,
  createKube,
  type Kube,
  type Transport,
} from '../../src/kubernetes/client/index.ts';
import { VirtualClock } from '../../src/simulation/virtual-clock.ts';
import { type VirtualEnv, virtualEnv } from '../support/virtual-env.ts';

const ADMIN = { name: 'admin', groups: ['system:masters'] };

export type Client = {
  readonly env: VirtualEnv;
  readonly kube: Kube;
  readonly transport: Transport;
  /** What becomes of its requests: they arrive, fail at once, or arrive while the answer is lost. */
  connection: 'good' | 'cut' | 'deaf' | 'hanging';
};

export type InProcessWorld = {
  readonly clock: VirtualClock;
  readonly client: (seed?: number) => Client;
  readonly close: () => Promise<void>;
};

export async function inProcessWorld(): Promise<InProcessWorld> {
  const clock = new VirtualClock();
  const { random, log } = virtualEnv({ seed: 99, clock });
  const store = createMemoryStore();
  const server = await createApiServer({ store, env: { clock, random, log }, tokenKey: new Uint8Array(32) });
  const direct = createInProcessTransport({ handle: (request) => server.handle(request), user: ADMIN });
  return {
    clock,
    client(seed = 1) {
      const env = virtualEnv({ seed, clock });
      const transport: Transport = {
        async send(request) {
          if (client.connection === 'cut') throw new Error('connect ECONNREFUSED');
          if (client.connection === 'hanging') return await new Promise(() => undefined);
          const response = await direct.send(request);
          if (client.connection === 'deaf') throw new Error('read ECONNRESET');
          return response;
        },
      };
      const kube = createKube({ transport, env, fieldManager: `client-${seed}` });
      const client: Client = { env, kube, transport, connection: 'good' };
      return client;
    },
    async close() {
      await server.close();
      await store.close();
    },
  };
}
