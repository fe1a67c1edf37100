/**
 * Talking to an API server, and the loop that controllers run in.
 *
 *     transport ──> createKube      get, list, write, evict: one request at a time, with care
 *         └───────> createCaches    what the server has, kept up by list and watch, frozen and indexed
 *                        │ changes
 *                        v
 *                   runControllers  keys, workers, retries          runAsLeader   only where nobody else does
 *
 * A transport brings requests to a server: over a socket (`transport-node.ts`), within this process
 * (`createInProcessTransport`) or through a browser (`createFetchTransport`). Where the server is and who we are is read
 * by `kubeconfig-node.ts` and `in-cluster-node.ts`. Files named `-node` are for shells alone.
 *
 * What may go wrong is met here once, for all controllers: a refusal is a `KubeError`, a server that cannot be reached a
 * transient `Failure`; caches outlive cut connections, forgotten versions and silent servers; nothing is asked in a hot
 * loop. All waiting is on the clock of `Env`, so that everything runs in simulated time too.
 *
 * Not here: any policy about nodes or pools, and kinds (`api`, `builtin`).
 *
 * Start with `kube.ts`, then `reflector.ts` and `controller-loop.ts`.
 */
export { createCaches } from './caches.ts';
export { createKube } from './client.ts';
export { runControllers } from './controller-loop.ts';
export { createEventRecorder, type EventWriter } from './events.ts';
export { guardedTransport } from './guarded-transport.ts';
export { createInProcessTransport, type InProcessUser } from './in-process-transport.ts';
export {
  type AnyObject,
  type AnyResource,
  after,
  type Cache,
  type CacheOptions,
  type Caches,
  type Change,
  type Controller,
  type DeleteOptions,
  done,
  type Enqueue,
  type EventRecorder,
  type EventSubject,
  type Kube,
  type Next,
  type Patch,
  type Place,
  type ResourceOf,
  type Selection,
} from './kube.ts';
export {
  isAlreadyExists,
  isConflict,
  isExpired,
  isNotFound,
  KubeError,
  refusedBy,
  statusError,
} from './kube-error.ts';
export { runAsLeader, type Term } from './leader-election.ts';
export type { LeaseSettings } from './lease-settings.ts';
export { LineSplitter } from './line-splitter.ts';
export { collectionPath, objectPath, queryText } from './paths.ts';
export type { ReflectorSettings } from './reflector.ts';
export { CONTROLLER_REQUEST_LIMITS, type RequestLimits } from './request-limits.ts';
export type { ServerAccess } from './server-access.ts';
export type { Method, Transport, TransportRequest, TransportResponse } from './transport.ts';
export { createFetchTransport } from './transport-fetch.ts';
