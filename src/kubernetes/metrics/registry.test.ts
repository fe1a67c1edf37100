import { describe, expect, it } from 'vitest';
import { counter, gauge, histogram } from './definition.ts';
import { Metrics } from './registry.ts';
import { formatMetrics } from './text-format.ts';

const requests = counter('requests_total', 'Requests.', { labels: ['verb', 'code'], maxSeries: 2 });
const failures = counter('failures_total', 'Failures.');
const state = gauge('state', 'State.', { labels: ['state', 'reason'] });
const age = gauge('age_seconds', 'Age.', { labels: ['name'], maxSeries: 2 });
const seconds = histogram('work_seconds', 'Work.', { labels: ['pool'], buckets: [1, 2.5] });

const registry = () => new Metrics([requests, failures, state, age, seconds]);
const text = (metrics: Metrics) => formatMetrics([metrics]);

describe('Metrics', () => {
  it('prints counters, gauges and histograms in the text format of Prometheus', () => {
    const metrics = registry();
    metrics.counter(requests).add({ verb: 'get', code: '200' });
    metrics.counter(requests).add({ code: '200', verb: 'get' }, 2);
    metrics.gauge(state).set({ state: 'Done', reason: 'a "b"\n\\' }, 1.5);
    for (const value of [0.5, 1, 2, 30]) metrics.histogram(seconds).observe({ pool: 'worker' }, value);
    expect(text(metrics)).toBe(`# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{verb="get",code="200"} 3
# HELP failures_total Failures.
# TYPE failures_total counter
failures_total 0
# HELP state State.
# TYPE state gauge
state{state="Done",reason="a \\"b\\"\\n\\\\"} 1.5
# HELP work_seconds Work.
# TYPE work_seconds histogram
work_seconds_bucket{pool="worker",le="1"} 2
work_seconds_bucket{pool="worker",le="2.5"} 3
work_seconds_bucket{pool="worker",le="+Inf"} 4
work_seconds_sum{pool="worker"} 33.5
work_seconds_count{pool="worker"} 4
`);
  });

  it('leaves out further series of a counter and says so', () => {
    const metrics = registry();
    for (const code of ['200', '404', '500', '501']) metrics.counter(requests).add({ verb: 'get', code });
    metrics.counter(requests).add({ verb: 'get', code: '200' });
    const lines = text(metrics).split('\n');
    expect(lines.filter((line) => line.startsWith('requests_total'))).toEqual([
      'requests_total{verb="get",code="200"} 2',
      'requests_total{verb="get",code="404"} 1',
    ]);
    expect(lines).toContain('millwright_metric_series_dropped_total{metric="requests_total"} 2');
  });

  it('removes the series of a gauge that have the values given', () => {
    const metrics = registry();
    for (const [name, reason] of [
      ['Done', 'a'],
      ['Done', 'b'],
      ['Working', 'a'],
    ] as const) {
      metrics.gauge(state).set({ state: name, reason }, 1);
    }
    metrics.gauge(state).remove({ state: 'Done' });
    metrics.gauge(state).remove({ state: 'Working', reason: 'b' });
    const lines = text(metrics).split('\n');
    expect(lines.filter((line) => line.startsWith('state{'))).toEqual([
      'state{state="Working",reason="a"} 1',
    ]);
  });

  it('removes the gauge that was set longest ago where there are too many', () => {
    const metrics = registry();
    for (const name of ['a', 'b', 'a', 'c']) metrics.gauge(age).set({ name }, 7);
    const lines = text(metrics).split('\n');
    expect(lines.filter((line) => line.startsWith('age_seconds{'))).toEqual([
      'age_seconds{name="a"} 7',
      'age_seconds{name="c"} 7',
    ]);
  });

  it('keeps only the last series of a gauge that is replaced', () => {
    const metrics = registry();
    metrics.gauge(state).replace({ state: 'Degraded', reason: 'x' }, 5);
    metrics.gauge(state).replace({ state: 'Done', reason: '' }, 7);
    expect(text(metrics)).toContain('state{state="Done",reason=""} 7\n');
    expect(text(metrics)).not.toContain('Degraded');
  });

  it('reads values when someone looks, within the limit', () => {
    const metrics = registry();
    let names = ['a', 'b', 'c'];
    metrics.read(age, () => names.map((name) => ({ labels: { name }, value: 1 })));
    expect(text(metrics).match(/^age_seconds\{/gm)?.length).toBe(2);
    names = [];
    expect(text(metrics)).not.toContain('age_seconds{');
  });

  it('prints a counter without labels once where its value is read', () => {
    const metrics = registry();
    metrics.read(failures, () => [{ labels: {}, value: 2.5 }]);
    expect(text(metrics).match(/^failures_total .*$/gm)).toEqual(['failures_total 2.5']);
  });

  it('cuts values of labels that are too long', () => {
    const metrics = registry();
    metrics.gauge(age).set({ name: 'x'.repeat(5_000) }, 1);
    expect(text(metrics).length).toBeLessThan(1_300);
  });

  it('keeps values apart that contain any separator', () => {
    const metrics = registry();
    metrics.gauge(state).set({ state: 'a,b', reason: 'c' }, 1);
    metrics.gauge(state).set({ state: 'a', reason: 'b,c' }, 2);
    expect(text(metrics).match(/^state\{/gm)?.length).toBe(2);
  });

  it('rejects metrics that are not declared, and names that are declared twice', () => {
    expect(() => new Metrics([failures]).counter(requests)).toThrow('requests_total is not declared');
    expect(() => new Metrics([failures, counter('failures_total', 'Others.')])).toThrow('defined once');
  });
});

describe('formatMetrics', () => {
  it('prints each metric once, with labels that tell its sources apart', () => {
    const [one, other] = [registry(), registry()];
    one.counter(failures).add({}, 1);
    other.gauge(age).set({ name: 'a' }, 3);
    const all = formatMetrics([
      { families: () => one.families(), labels: { component: 'controller' } },
      { families: () => other.families(), labels: { component: 'daemon', name: 'worker-0' } },
    ]);
    expect(all.match(/^# TYPE failures_total/gm)?.length).toBe(1);
    expect(all).toContain('failures_total{component="controller"} 1\n');
    expect(all).toContain('failures_total{component="daemon",name="worker-0"} 0\n');
    expect(all).toContain('age_seconds{component="daemon",name="worker-0",exported_name="a"} 3\n');
  });

  it('prints infinite values and newlines of a help text as Prometheus reads them', () => {
    const definition = gauge('x', 'Two\nlines.');
    const metrics = new Metrics([definition]);
    metrics.gauge(definition).set({}, Number.POSITIVE_INFINITY);
    expect(text(metrics)).toBe('# HELP x Two\\nlines.\n# TYPE x gauge\nx +Inf\n');
  });
});
