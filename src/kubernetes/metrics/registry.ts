/**
 * The registry of a process: its metrics and their present values.
 */
import { assert } from '../../base/errors.ts';
import {
  type CounterDefinition,
  type GaugeDefinition,
  type HistogramDefinition,
  type LabelValues,
  type MetricDefinition,
  SERIES_DROPPED,
} from './definition.ts';

interface Counter<L extends string> {
  add(labels: LabelValues<L>, amount?: number): void;
}

interface Gauge<L extends string> {
  set(labels: LabelValues<L>, value: number): void;
  /** The only series from now on. */
  replace(labels: LabelValues<L>, value: number): void;
  /** All series with these values, as of an object that is gone. */
  remove(labels: Partial<LabelValues<L>>): void;
}

interface Histogram<L extends string> {
  observe(labels: LabelValues<L>, value: number): void;
}

/** A value that is computed when someone looks. */
type Reading<L extends string> = { readonly labels: LabelValues<L>; readonly value: number };

/** A metric with its series, as it is printed. */
export type Family = {
  readonly name: string;
  readonly type: MetricDefinition['type'];
  readonly help: string;
  readonly samples: readonly Sample[];
};

/** One line. `suffix`: `_bucket`, `_sum` and `_count` of a histogram. */
export type Sample = {
  readonly suffix: string;
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly value: number;
};

/** Values of labels come from names and messages of objects; a message can be long. */
const MAX_LABEL_LENGTH = 1_024;

export class Metrics {
  readonly #metrics: ReadonlyMap<string, SeriesOf>;
  readonly #readers = new Map<string, (() => Iterable<Reading<string>>)[]>();

  /** The definitions that may be used. */
  constructor(definitions: readonly MetricDefinition[]) {
    const all = [...new Set([...definitions, SERIES_DROPPED])];
    const onDropped = (metric: string) => this.counter(SERIES_DROPPED).add({ metric });
    this.#metrics = new Map(all.map((one) => [one.name, new SeriesOf(one, () => onDropped(one.name))]));
    assert(this.#metrics.size === all.length, 'each metric is defined once');
  }

  counter<L extends string>(definition: CounterDefinition<L>): Counter<L> {
    const series = this.#series(definition);
    return { add: (labels, amount = 1) => series.add(labels, amount) };
  }

  gauge<L extends string>(definition: GaugeDefinition<L>): Gauge<L> {
    const series = this.#series(definition);
    return {
      set: (labels, value) => series.set(labels, value),
      replace: (labels, value) => series.replace(labels, value),
      remove: (labels) => series.remove(labels),
    };
  }

  histogram<L extends string>(definition: HistogramDefinition<L>): Histogram<L> {
    const series = this.#series(definition);
    return { observe: (labels, value) => series.observe(labels, value) };
  }

  /** A gauge or counter whose values are computed when someone looks: they cannot be outdated, and cost nothing until then. */
  read<L extends string>(
    definition: GaugeDefinition<L> | CounterDefinition<L>,
    read: () => Iterable<Reading<L>>,
  ): void {
    this.#series(definition);
    this.#readers.set(definition.name, [...(this.#readers.get(definition.name) ?? []), read]);
  }

  /** Those that have series, in the order of the definitions. */
  families(): readonly Family[] {
    return [...this.#metrics.values()]
      .map((series) => series.family(this.#readers.get(series.definition.name) ?? []))
      .filter(({ samples }) => samples.length > 0);
  }

  #series(definition: MetricDefinition): SeriesOf {
    const found = this.#metrics.get(definition.name);
    assert(found?.definition === definition, `the metric ${definition.name} is not declared`);
    return found;
  }
}

type Series = {
  readonly values: readonly string[];
  /** Of a histogram: the sum. */
  value: number;
  /** Of a histogram: how many values are within each bound, and the number of all values. */
  readonly counts: number[];
};

/** The series of one metric. */
class SeriesOf {
  readonly definition: MetricDefinition;
  readonly #onDropped: () => void;
  /** By their label values, least recently set first. */
  readonly #series = new Map<string, Series>();

  constructor(definition: MetricDefinition, onDropped: () => void) {
    this.definition = definition;
    this.#onDropped = onDropped;
    // A counter without labels exists from the beginning: an alert needs its first increase.
    if (definition.type === 'counter' && definition.labels.length === 0) this.add({}, 0);
  }

  add(labels: LabelValues, amount: number): void {
    const series = this.#known(labels);
    if (series !== undefined) series.value += amount;
  }

  set(labels: LabelValues, value: number): void {
    const values = this.#values(labels);
    const key = keyOf(values);
    this.#series.delete(key);
    this.#series.set(key, { values, value, counts: [] });
    if (this.#series.size <= this.definition.maxSeries) return;
    const [oldest] = this.#series.keys();
    if (oldest !== undefined) this.#series.delete(oldest);
    this.#onDropped();
  }

  replace(labels: LabelValues, value: number): void {
    this.#series.clear();
    this.set(labels, value);
  }

  remove(labels: Partial<LabelValues>): void {
    const isMeant = ({ values }: Series) =>
      this.definition.labels.every((label, index) => [undefined, values[index]].includes(labels[label]));
    for (const [key, series] of this.#series) if (isMeant(series)) this.#series.delete(key);
  }

  observe(labels: LabelValues, value: number): void {
    const series = this.#known(labels);
    if (series === undefined) return;
    const { buckets = [] } = this.definition;
    series.value += value;
    for (const [index, bound] of buckets.entries()) if (value <= bound) increase(series.counts, index);
    increase(series.counts, buckets.length);
  }

  family(readers: readonly (() => Iterable<Reading<string>>)[]): Family {
    const { name, type, help } = this.definition;
    const readings = this.#readingsOf(readers);
    const stored = [...this.#series].filter(([key]) => !readings.has(key));
    const samples = stored.flatMap(([, series]) => this.#samplesOf(series));
    return { name, type, help, samples: [...samples, ...readings.values()] };
  }

  /** Undefined where there are too many already: removing others would make them start again. */
  #known(labels: LabelValues): Series | undefined {
    const values = this.#values(labels);
    const key = keyOf(values);
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    if (this.#series.size >= this.definition.maxSeries) {
      this.#onDropped();
      return undefined;
    }
    const created: Series = { values, value: 0, counts: (this.definition.buckets ?? []).map(() => 0) };
    if (this.definition.type === 'histogram') created.counts.push(0);
    this.#series.set(key, created);
    return created;
  }

  #values(labels: LabelValues): readonly string[] {
    return this.definition.labels.map((label) => (labels[label] ?? '').slice(0, MAX_LABEL_LENGTH));
  }

  #samplesOf({ values, value, counts }: Series): readonly Sample[] {
    const labels = this.#pairs(values);
    if (this.definition.type !== 'histogram') return [{ suffix: '', labels, value }];
    const total = counts.at(-1) ?? 0;
    const bounds = [...(this.definition.buckets ?? []).map(String), '+Inf'];
    return [
      ...bounds.map(
        (bound, index): Sample => ({
          suffix: '_bucket',
          labels: [...labels, ['le', bound]],
          value: counts[index] ?? 0,
        }),
      ),
      { suffix: '_sum', labels, value },
      { suffix: '_count', labels, value: total },
    ];
  }

  /**
   * By their label values, of which no two series may have the same: a reading replaces what is stored, and the last of several
   * readings counts. More than the limit are left out.
   */
  #readingsOf(readers: readonly (() => Iterable<Reading<string>>)[]): ReadonlyMap<string, Sample> {
    const found = new Map<string, Sample>();
    for (const read of readers) {
      for (const { labels, value } of read()) {
        const values = this.#values(labels);
        const key = keyOf(values);
        if (found.size < this.definition.maxSeries || found.has(key)) {
          found.set(key, { suffix: '', labels: this.#pairs(values), value });
        } else this.#onDropped();
      }
    }
    return found;
  }

  #pairs(values: readonly string[]): readonly (readonly [string, string])[] {
    return this.definition.labels.map((label, index) => [label, values[index] ?? '']);
  }
}

function keyOf(values: readonly string[]): string {
  // A value may contain any separator.
  return values.length === 1 ? (values[0] ?? '') : JSON.stringify(values);
}

function increase(counts: number[], index: number): void {
  counts[index] = (counts[index] ?? 0) + 1;
}
