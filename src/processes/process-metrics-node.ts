/** The metrics of the operating system process, with the names that Prometheus' own libraries use. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { cpuUsage, memoryUsage, uptime } from 'node:process';
import { counter, type Family, gauge, type MetricDefinition, Metrics } from '../kubernetes/metrics/index.ts';

const RESIDENT = gauge('process_resident_memory_bytes', 'Resident memory size in bytes.');
const CPU = counter('process_cpu_seconds_total', 'Total user and system CPU time spent in seconds.');
const START = gauge('process_start_time_seconds', 'Start time of the process since unix epoch in seconds.');
const HEAP = gauge('nodejs_heap_size_used_bytes', 'Process heap size used from Node.js in bytes.');
const LAG_MAX = gauge(
  'nodejs_eventloop_lag_max_seconds',
  'The maximum recorded event loop delay since the last scrape.',
);
const LAG_MEAN = gauge(
  'nodejs_eventloop_lag_mean_seconds',
  'The mean of the recorded event loop delays since the last scrape.',
);

export const PROCESS_METRICS: readonly MetricDefinition[] = [RESIDENT, CPU, START, HEAP, LAG_MAX, LAG_MEAN];

/** Twice a second is enough to find a process that hangs, and costs nothing. */
const LAG_SAMPLE_MS = 500;

type ProcessMetrics = { families(): readonly Family[]; stop(): void };

export function createProcessMetrics(): ProcessMetrics {
  const metrics = new Metrics(PROCESS_METRICS);
  const delays = monitorEventLoopDelay({ resolution: LAG_SAMPLE_MS });
  delays.enable();
  const one = (read: () => number) => () => [{ labels: {}, value: read() }];
  const startedAt = Math.floor(Date.now() / 1_000 - uptime());
  metrics.read(
    RESIDENT,
    one(() => memoryUsage.rss()),
  );
  metrics.read(
    CPU,
    one(() => {
      const { user, system } = cpuUsage();
      return (user + system) / 1e6;
    }),
  );
  metrics.read(
    START,
    one(() => startedAt),
  );
  metrics.read(
    HEAP,
    one(() => memoryUsage().heapUsed),
  );
  // A sample is the time between two timers; what exceeds their interval is the delay.
  const lag = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - LAG_SAMPLE_MS / 1_000);
  metrics.read(
    LAG_MAX,
    one(() => lag(delays.max)),
  );
  metrics.read(
    LAG_MEAN,
    one(() => (delays.count === 0 ? 0 : lag(delays.mean))),
  );
  return {
    families() {
      const families = metrics.families();
      delays.reset();
      return families;
    },
    stop: () => {
      delays.disable();
    },
  };
}
