/** `/metrics`: requests and sizes of the server, and what other parts of the process publish. */
import {
  counter,
  formatMetrics,
  gauge,
  type MetricDefinition,
  type MetricSource,
  Metrics,
} from '../../kubernetes/metrics/index.ts';

type RequestLabels = {
  readonly verb: string;
  /** Empty for non-resource paths. */
  readonly resource: string;
  readonly code: number;
};

const REQUESTS = counter(
  'apiserver_request_total',
  'Requests by verb, resource and the code of their answer.',
  // Resource names come from clients and must not fill the memory.
  { labels: ['verb', 'resource', 'code'], maxSeries: 10_000 },
);

const GAUGES = {
  revision: gauge('millwright_store_revision', 'The resource version of the latest write.'),
  resources: gauge('millwright_served_resources', 'Number of served resources.'),
  seated: gauge('millwright_seats_taken', 'Seats in use.'),
  waiting: gauge('millwright_waiting_requests', 'Requests queued for a seat.'),
  streams: gauge('millwright_streams', 'Open watches and other streams.'),
  refused: gauge('millwright_refused_requests', 'Requests rejected with 429.'),
};

export const API_SERVER_METRICS: readonly MetricDefinition[] = [REQUESTS, ...Object.values(GAUGES)];

type ServerSizes = { readonly [name in keyof typeof GAUGES]: number };

export class ServerMetrics {
  readonly #metrics = new Metrics(API_SERVER_METRICS);
  readonly #requests = this.#metrics.counter(REQUESTS);
  readonly #published = new Set<MetricSource>();

  /** `sizes`: read when someone looks. */
  constructor(sizes: () => ServerSizes) {
    for (const name of Object.keys(GAUGES) as (keyof typeof GAUGES)[]) {
      this.#metrics.read(GAUGES[name], () => [{ labels: {}, value: sizes()[name] }]);
    }
  }

  count({ verb, resource, code }: RequestLabels): void {
    this.#requests.add({ verb, resource, code: String(code) });
  }

  /** Adds the metrics of another part of the process, with labels that tell it apart. Returns what removes them. */
  publish(source: MetricSource): () => void {
    this.#published.add(source);
    return () => {
      this.#published.delete(source);
    };
  }

  text(): string {
    return formatMetrics([this.#metrics, ...this.#published]);
  }
}
