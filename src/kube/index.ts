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
export type { RetryLadder } from '../waiting.ts';
export { type CachesOptions, createCaches } from './caches.ts';
export { createKube, type KubeOptions } from './client.ts';
export {
  DEFAULT_LOOP_SETTINGS,
  type LoopOptions,
  type LoopSettings,
  runControllers,
} from './controller-loop.ts';
export {
  createEventRecorder,
  DEFAULT_EVENT_SETTINGS,
  EVENT_NAMESPACE,
  type EventRecorderOptions,
  type EventSettings,
  type EventWriter,
} from './events.ts';
export { guardedTransport } from './guarded-transport.ts';
export {
  createInProcessTransport,
  type InProcessOptions,
  type InProcessRequest,
  type InProcessResponse,
  type InProcessUser,
} from './in-process-transport.ts';
export * from './kube.ts';
export {
  isAlreadyExists,
  isConflict,
  isExpired,
  isNotFound,
  KubeError,
  refusedBy,
  statusError,
} from './kube-error.ts';
export { type LeaderElectionOptions, runAsLeader, type Term } from './leader-election.ts';
export { DEFAULT_LEASE_SETTINGS, type LeaseSettings } from './lease-settings.ts';
export { LineSplitter } from './line-splitter.ts';
export { collectionPath, objectPath, queryText } from './paths.ts';
export { DEFAULT_REFLECTOR_SETTINGS, type ReflectorSettings } from './reflector.ts';
export { CONTROLLER_REQUEST_LIMITS, DEFAULT_REQUEST_LIMITS, type RequestLimits } from './request-limits.ts';
export type { ServerAccess } from './server-access.ts';
export type { Rate } from './token-bucket.ts';
export type { Method, Transport, TransportRequest, TransportResponse } from './transport.ts';
export {
  createFetchTransport,
  type Fetch,
  type FetchReader,
  type FetchResponse,
  type FetchTransportOptions,
} from './transport-fetch.ts';
export { type WorkFailure, WorkQueue, type WorkQueueOptions } from './work-queue.ts';
