/**
 * The client of an API server, and the loop that controllers run in.
 *
 *     transport ──> createKube      get, list, write, evict: single requests with rate limit and timeouts
 *         └───────> createCaches    objects of the server, kept up to date by list and watch, frozen and indexed
 *                        │ changes          └──> OwnWrites   read-your-writes over a cache
 *                        v
 *                   runControllers  keys, workers, retries          runAsLeader   leader election by a Lease
 *
 * A transport sends requests to a server: over a socket (`transport-node.ts`) or within this process
 * (`createInProcessTransport`). Address and credentials are read by `kubeconfig-node.ts` and `in-cluster-node.ts`. Files named `-node` use Node.js and are for processes only.
 *
 * Errors are handled here once for all controllers: a refusal is a `KubeError`, an unreachable server a transient `Failure`;
 * caches survive closed connections, expired versions and unresponsive servers; there are no hot loops. All waiting uses
 * the clock of `Env`, so that everything also runs in virtual time.
 *
 * Not here: any policy about nodes or pools, and the kinds themselves (`api`, `kubernetes/types`).
 *
 * Start with `kube.ts`, then `reflector.ts` and `controller-loop.ts`.
 */
export { createCaches } from './caches.ts';
export { type CachedResource, cachedResource, hasCaughtUp } from './caught-up.ts';
export { createKube } from './client.ts';
export { CONNECTION_METRICS, CONTROLLER_METRICS, IS_LEADER } from './client-metrics.ts';
export { runControllers } from './controller-loop.ts';
export { createEventRecorder, type EventWriter } from './events.ts';
export { getIfServed } from './get-if-served.ts';
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
  type ObjectKey,
  type Patch,
  type ResourceOf,
  type Selection,
  underWay,
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
export { measuredTransport } from './measured-transport.ts';
export { OwnWrites } from './own-writes.ts';
export { collectionPath, objectPath, queryText } from './paths.ts';
export type { ReflectorSettings } from './reflector.ts';
export { CONTROLLER_REQUEST_LIMITS, type RequestLimits } from './request-limits.ts';
export type { ServerAccess } from './server-access.ts';
export type { Method, Transport, TransportRequest, TransportResponse } from './transport.ts';
