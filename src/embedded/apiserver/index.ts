/**
 * The embedded API server, for a laptop, for CI and for tests in virtual time: `kubectl` and other clients work with it as with
 * kube-apiserver 1.33, whose messages it uses. It is never part of production.
 *
 * It is a function from request to response over a store: resources with generation, status, finalizers and owners;
 * selectors, patches and watches; CustomResourceDefinitions; authentication, RBAC and admission policies. Features
 * that it lacks are answered as by a server without them.
 *
 * Start with `request-path.ts`, the path of a request; then `verbs/dispatch.ts` and `verbs/guaranteed-update.ts`.
 *
 *     http/          sockets, flow control (priority and fairness), streamed bodies
 *     verbs/         get, list, watch, create, update, patch, delete
 *     subresources/  status, scale, eviction, binding, log, token, proxy
 *     store/         bytes by key with revisions; in memory (tests) or on disk (`store/store-node.ts`)
 *     pki/           certificates, service account tokens, kubeconfig
 *
 * Not here: kinds and their strategies (`resources`, `crds`), patches, RBAC and policies (`patch`, `rbac`,
 * `admission`), controllers, scheduler and kubelet (`controllers`).
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
