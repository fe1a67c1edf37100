/**
 * The embedded API server: a small and honest one that `kubectl` and real clients work against, for a laptop, for CI
 * and for simulation. It is never part of production, where the cluster has its own.
 *
 * It will be a function from request to response, over a store that is handed to it: resources with generation,
 * status, finalizers and owners; selectors, patches and watches; schemas, admission and access rules of the CRDs.
 * What it does not do it answers as a server without that feature would, never with a guess.
 *
 * What is there now is the bottom of it, the store: bytes by key, one revision over all of them, transactions with
 * expectations, ranges now and as they were, and subscriptions. Start with `store.ts`. The store that survives its
 * process is `store-node.ts`, for shells alone.
 *
 * Not here: controllers of any kind, and the stand-ins for scheduler and kubelet (`cluster`).
 */
export { type ApiServer, createApiServer } from './api-server.ts';
export type { TokenUser } from './authenticate.ts';
export type { Request, Response } from './http/http.ts';
export { createMemoryStore } from './store/memory-store.ts';
export type {
  CommitResult,
  Entry,
  LogLimits,
  OutOfReach,
  Page,
  RangeQuery,
  Revision,
  Store,
  StoreEvent,
  Write,
} from './store/store.ts';
export type {
  ContainerLog,
  ContainerLogRequest,
  Kubelet,
  NodeProxyRequest,
  NodeProxyResponse,
} from './subresources/kubelet.ts';
