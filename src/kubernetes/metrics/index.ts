/**
 * Metrics of a process, and the text format of Prometheus (0.0.4).
 *
 *     definitions ──> Metrics ──> counter, gauge, histogram: written as things happen
 *                        │   └──> read: gauges computed only when someone looks
 *                        └──> families() ──> formatMetrics
 *
 * There is nothing global: each process creates its registry from the definitions that it may use, and passes it on. What is not
 * declared cannot be written, so the lists of definitions are complete, and documentation and alerts are checked against them.
 *
 * The number of series is bounded, whatever the labels are: the oldest gauges go, further counters and histograms are left out,
 * and both are counted.
 *
 * Not here: who may read them, and over which port (`cli/health`).
 *
 * Start with `registry.ts`.
 */
export {
  counter,
  gauge,
  histogram,
  type LabelValues,
  type MetricDefinition,
  SERIES_DROPPED,
} from './definition.ts';
export { type Family, Metrics } from './registry.ts';
export { formatMetrics, type MetricSource } from './text-format.ts';
