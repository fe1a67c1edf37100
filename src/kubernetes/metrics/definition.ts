/** What a metric is: its name, type, help and labels. */

type MetricType = 'counter' | 'gauge' | 'histogram';

export type MetricDefinition<L extends string = string> = {
  readonly name: string;
  readonly type: MetricType;
  readonly help: string;
  readonly labels: readonly L[];
  /** Upper bounds of a histogram, ascending, without infinity. */
  readonly buckets?: readonly number[];
  /** More series than this are not kept. */
  readonly maxSeries: number;
};

export type LabelValues<L extends string = string> = { readonly [label in L]: string };

export type CounterDefinition<L extends string> = MetricDefinition<L> & { readonly type: 'counter' };
export type GaugeDefinition<L extends string> = MetricDefinition<L> & { readonly type: 'gauge' };
export type HistogramDefinition<L extends string> = MetricDefinition<L> & {
  readonly type: 'histogram';
  readonly buckets: readonly number[];
};

type Options<L extends string> = { readonly labels?: readonly L[]; readonly maxSeries?: number };

/** Enough for what is counted by controller, pool, resource or verb. */
const MAX_SERIES = 1_000;

export function counter<L extends string = never>(
  name: string,
  help: string,
  options: Options<L> = {},
): CounterDefinition<L> {
  return { ...common(name, help, options), type: 'counter' };
}

export function gauge<L extends string = never>(
  name: string,
  help: string,
  options: Options<L> = {},
): GaugeDefinition<L> {
  return { ...common(name, help, options), type: 'gauge' };
}

export function histogram<L extends string = never>(
  name: string,
  help: string,
  options: Options<L> & { readonly buckets: readonly number[] },
): HistogramDefinition<L> {
  return { ...common(name, help, options), type: 'histogram', buckets: options.buckets };
}

function common<L extends string>(name: string, help: string, { labels = [], maxSeries }: Options<L>) {
  return { name, help, labels, maxSeries: maxSeries ?? MAX_SERIES };
}

/** Part of every registry: that something is missing must not go unnoticed. */
export const SERIES_DROPPED: CounterDefinition<'metric'> = counter(
  'millwright_metric_series_dropped_total',
  'Series that were left out or removed because a metric had too many.',
  { labels: ['metric'] },
);
