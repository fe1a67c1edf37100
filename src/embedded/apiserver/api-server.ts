/**
 * The server: put together from its parts, and taken apart again.
 */

import type { Env } from '../../base/env.ts';
import { customResourceDefinition } from '../../kubernetes/types/index.ts';
import { createCrdStrategy } from '../crds/index.ts';
import { createBuiltinResources, decodeBuiltin } from '../resources/index.ts';
import { openGate } from './admission-chain.ts';
import { Authenticator, type TokenUser } from './authenticate.ts';
import { bootstrap } from './bootstrap.ts';
import type { World } from './call.ts';
import { Catalog } from './catalog.ts';
import { DefinitionKeeper } from './crd-controller.ts';
import { FlowControl } from './http/flow-control.ts';
import { DEFAULT_FLOW_LIMITS, type FlowLimits } from './http/flow-limits.ts';
import type { Arriving, Request, Response } from './http/http.ts';
import { Metrics } from './metrics.ts';
import { handleRequest, receiveRequest } from './request-path.ts';
import { openRules } from './rule-cache.ts';
import type { Store } from './store/store.ts';
import type { Kubelet } from './subresources/kubelet.ts';

type ApiServerOptions = {
  readonly store: Store;
  readonly env: Pick<Env, 'clock' | 'random' | 'log'>;
  /** Signs the tokens of service accounts; at least 32 bytes. */
  readonly tokenKey: Uint8Array;
  /** Users with tokens that the server is simply told. */
  readonly tokenUsers?: readonly TokenUser[];
  /** How to reach the nodes, for logs; absent: nobody answers there. */
  readonly kubelet?: Kubelet;
  /** Where the server is reached, for its own Service; absent: where servers of Kubernetes usually are. */
  readonly port?: number;
  /** How much those who come over the wire may ask at once. */
  readonly flowLimits?: FlowLimits;
};

const DEFAULT_PORT = 6443;

export interface ApiServer {
  /** Answers every request of those who live in this process; never rejects. */
  handle(request: Request): Promise<Response>;
  /** Answers those who come over the wire, so many at a time (`flow-limits.ts`); never rejects. */
  receive(arriving: Arriving): Promise<Response>;
  /** Ends what runs in the background. The store stays open: it belongs to whoever brought it. */
  close(): Promise<void>;
}

export async function createApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { store, env, tokenKey, tokenUsers = [], kubelet, port = DEFAULT_PORT } = options;
  const { flowLimits = DEFAULT_FLOW_LIMITS } = options;
  const decode = decodeBuiltin(customResourceDefinition.schema);
  const crdStrategy = createCrdStrategy({ decode });
  const catalog = new Catalog(createBuiltinResources({ crdStrategy }));
  const rules = openRules(store, catalog);
  const gate = openGate({ store, env, catalog, rules });
  const world: World = { store, env, catalog, gate, kubelet };
  const now = () => env.clock.now();
  const authenticator = new Authenticator({ store, catalog, tokenKey, tokenUsers, now });
  await bootstrap(world, port);
  const keeper = new DefinitionKeeper(world);
  await keeper.start();
  const flowControl = new FlowControl({ limits: flowLimits, clock: env.clock });
  const parts = { world, authenticator, rules, tokenKey, metrics: new Metrics(), flowControl };
  return {
    handle: (request) => handleRequest(parts, request),
    receive: (arriving) => receiveRequest(parts, arriving),
    async close() {
      await keeper.stop();
      gate.stop();
      rules.stop();
    },
  };
}
