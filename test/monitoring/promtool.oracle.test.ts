/** Prometheus' own opinion of our metrics and alerts. */
import { describe, expect, it } from 'vitest';
import { METRICS } from '../../scripts/metric-definitions.ts';
import {
  formatMetrics,
  type LabelValues,
  type MetricDefinition,
  Metrics,
} from '../../src/kubernetes/metrics/index.ts';
import { hasPromtool, metricProblems, promtool } from './promtool.ts';

/** The text of all metrics of a component, each with a series. */
function everyMetric(definitions: readonly MetricDefinition[]): string {
  const metrics = new Metrics(definitions);
  for (const definition of definitions) {
    const labels: LabelValues = Object.fromEntries(
      definition.labels.map((label) => [label, `a "${label}"\n\\`]),
    );
    const { type, buckets = [] } = definition;
    if (type === 'counter') metrics.counter(asType(definition, type)).add(labels);
    else if (type === 'gauge') metrics.gauge(asType(definition, type)).set(labels, 1.5e9);
    else metrics.histogram(asType(definition, type) as never).observe(labels, buckets[0] ?? 1);
  }
  return formatMetrics([metrics]);
}

function asType<T extends MetricDefinition['type']>(definition: MetricDefinition, _: T) {
  return definition as MetricDefinition & { readonly type: T };
}

describe.skipIf(!hasPromtool)('promtool (skipped where it is not installed)', () => {
  it.each(Object.keys(METRICS) as (keyof typeof METRICS)[])(
    'accepts the metrics of %s, but for names of upstream',
    (component) => {
      expect(metricProblems(everyMetric(METRICS[component]))).toEqual([]);
    },
  );

  it('rejects what is no text format: the check above can fail', () => {
    expect(promtool(['check', 'metrics'], 'a{b="c} 1\n').status).not.toBe(0);
  });

  it('accepts the alert rules', () => {
    const { status, output } = promtool(['check', 'rules', 'monitoring/alerts.yaml']);
    expect({ status, output }).toMatchObject({ status: 0, output: expect.stringContaining('SUCCESS') });
  });

  it('finds that every alert fires when it should and not otherwise', () => {
    const { status, output } = promtool(['test', 'rules', 'monitoring/alerts.test.yaml']);
    expect({ status, output }).toMatchObject({ status: 0, output: expect.stringContaining('SUCCESS') });
  });
});
