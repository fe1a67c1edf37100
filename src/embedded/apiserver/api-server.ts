/** Composes the server. */

import type { Env } from '../../base/env.ts';
import type { MetricSource } from '../../kubernetes/metrics/index.ts';
import { customResourceDefinition } from '../../kubernetes/types/index.ts';
import { createCrdStrategy } from '../crds/index.ts';
import { createBuiltinResources, decodeBuiltin } from '../resources/index.ts';
import { openAdmissionChain } from './admission-chain.ts';
import { Authenticator, type TokenUser } from './authenticate.ts';
import { bootstrap } from './bootstrap.ts';
import { Catalog } from './catalog.ts';
import { CrdController } from './crd-controller.ts';
import { FlowControl } from './http/flow-control.ts';
import { DEFAULT_FLOW_LIMITS, type FlowLimits } from './http/flow-limits.ts';
import type { PendingRequest, Request, Response } from './http/http.ts';
import { ServerMetrics } from './metrics.ts';
import { handleRequest, receiveRequest } from './request-path.ts';
import { openRuleCache } from './rule-cache.ts';
import type { ServerContext } from './server-context.ts';
import type { Store } from './store/store.ts';
import type { Kubelet } from './subresources/kubelet.ts';

type ApiServerOptions = {
  readonly store: Store;
  readonly env: Pick<Env, 'clock' | 'random' | 'log'>;
  /** Signs the tokens of service accounts; at least 32 bytes. */
  readonly tokenKey: Uint8Array;
  /** Users with static tokens. */
  readonly tokenUsers?: readonly TokenUser[];
  /** The client of the kubelets; absent if no node can be reached. */
  readonly kubelet?: Kubelet;
  /** Where the server listens, for the `kubernetes` Service. */
  readonly port?: number;
  /** Limits for requests from the network. */
  readonly flowLimits?: FlowLimits;
};

const DEFAULT_PORT = 6443;

export interface ApiServer {
  /** For clients within the process, without flow control; never rejects. */
  handle(request: Request): Promise<Response>;
  /** For requests from the network, with flow control (`flow-limits.ts`); never rejects. */
  receive(pending: PendingRequest): Promise<Response>;
  /** Adds metrics to `/metrics`; returns what removes them. */
  publishMetrics(source: MetricSource): () => void;
  /** Stops background work. The store stays open: the caller owns it. */
  close(): Promise<void>;
}

export async function createApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { store, env, tokenKey, tokenUsers = [], kubelet, port = DEFAULT_PORT } = options;
  const { flowLimits = DEFAULT_FLOW_LIMITS } = options;
  const decode = decodeBuiltin(customResourceDefinition.schema);
  const crdStrategy = createCrdStrategy({ decode });
  const catalog = new Catalog(createBuiltinResources({ crdStrategy }));
  const rules = openRuleCache(store, catalog);
  const admission = openAdmissionChain({ store, env, catalog, rules });
  const server: ServerContext = { store, env, catalog, admission, kubelet };
  const now = () => env.clock.now();
  const authenticator = new Authenticator({ store, catalog, tokenKey, tokenUsers, now });
  await bootstrap(server, port);
  const crdController = new CrdController(server);
  await crdController.start();
  const flowControl = new FlowControl({ limits: flowLimits, clock: env.clock });
  const metrics = new ServerMetrics(() => {
    const { seated, waiting, streams, refused } = flowControl.statistics();
    return {
      revision: store.revision(),
      resources: catalog.all().length,
      ...{ seated, waiting, streams, refused },
    };
  });
  const parts = { server, authenticator, rules, tokenKey, metrics, flowControl };
  return {
    handle: (request) => handleRequest(parts, request),
    receive: (pending) => receiveRequest(parts, pending),
    publishMetrics: (source) => metrics.publish(source),
    async close() {
      await crdController.stop();
      admission.stop();
      rules.stop();
    },
  };
}
