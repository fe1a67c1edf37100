/** The metrics of the server. */
import { CONNECTION_METRICS, CONTROLLER_METRICS } from '../kubernetes/client/index.ts';
import { counter, type MetricDefinition } from '../kubernetes/metrics/index.ts';

/** Pools are no label: who asks chooses their name. */
export const REQUESTS = counter(
  'millwright_server_requests_total',
  'Number of requests that were answered, those of probes among them, by status code.',
  { labels: ['code'] },
);

export const SERVER_METRICS: readonly MetricDefinition[] = [
  ...CONNECTION_METRICS,
  ...CONTROLLER_METRICS,
  REQUESTS,
];
