/**
 * The metrics of every process that talks to the API server. Work queues and leader election have the names that Kubernetes'
 * own components use, so that dashboards know them.
 */
import { counter, gauge, histogram, type MetricDefinition } from '../metrics/index.ts';

const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60];

export const QUEUE_DEPTH = gauge('workqueue_depth', 'Keys that are due and wait for a worker.', {
  labels: ['name'],
});
export const QUEUE_ADDS = counter('workqueue_adds_total', 'Keys that became due.', { labels: ['name'] });
export const QUEUE_RETRIES = counter('workqueue_retries_total', 'Keys that failed and are tried again.', {
  labels: ['name'],
});
export const QUEUE_SECONDS = histogram(
  'workqueue_queue_duration_seconds',
  'How long a key that is due waits for a worker.',
  { labels: ['name'], buckets: SECONDS },
);
export const WORK_SECONDS = histogram('workqueue_work_duration_seconds', 'How long a reconcile takes.', {
  labels: ['name'],
  buckets: SECONDS,
});
export const LONGEST_WORK = gauge(
  'workqueue_longest_running_processor_seconds',
  'How long the oldest running reconcile has been running.',
  { labels: ['name'] },
);
export const RECONCILE_ERRORS = counter('millwright_reconcile_errors_total', 'Reconciles that failed.', {
  labels: ['controller'],
});
export const API_REQUESTS = counter(
  'millwright_api_requests_total',
  'Requests to the API server by verb, resource and code; the code is <error> where there was no answer.',
  { labels: ['verb', 'resource', 'code'] },
);
export const API_SECONDS = histogram(
  'millwright_api_request_duration_seconds',
  'Time until the API server answers, without watches.',
  { labels: ['verb'], buckets: SECONDS },
);
export const WATCH_RESTARTS = counter(
  'millwright_watch_restarts_total',
  'Watches that ended, by resource and reason: ended by the server, expired, failed.',
  { labels: ['resource', 'reason'] },
);
export const CACHE_OBJECTS = gauge('millwright_cache_objects', 'Objects in the caches of the process.', {
  labels: ['resource'],
});
export const IS_LEADER = gauge(
  'leader_election_master_status',
  'Whether the process holds its Lease: 1 if it leads, 0 if it waits.',
  { labels: ['name'] },
);

/** Of the process: they outlive a term of leadership. */
export const CONNECTION_METRICS: readonly MetricDefinition[] = [API_REQUESTS, API_SECONDS];

/** Of controllers, and of what they observe. */
export const CONTROLLER_METRICS: readonly MetricDefinition[] = [
  QUEUE_DEPTH,
  QUEUE_ADDS,
  QUEUE_RETRIES,
  QUEUE_SECONDS,
  WORK_SECONDS,
  LONGEST_WORK,
  RECONCILE_ERRORS,
  WATCH_RESTARTS,
  CACHE_OBJECTS,
];
