/** Alerts, their tests, their runbooks and the dashboard agree with each other and with the metrics that exist. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { everyDefinition } from '../../scripts/metric-definitions.ts';
import type { Json } from '../../src/base/json.ts';
import { objectsAt, stringAt } from '../../src/base/json-fields.ts';
import { parseYaml } from '../../src/base/yaml/index.ts';
import { RULES } from '../../src/insight/doctor/rules.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

function yaml(path: string): Json {
  const parsed = parseYaml(read(path));
  if (parsed.kind === 'invalid') throw new Error(`${path} is no YAML`);
  return parsed.value[0]?.value ?? null;
}

const alerts = objectsAt(yaml('monitoring/alerts.yaml'), 'groups').flatMap((group) =>
  objectsAt(group, 'rules'),
);
const dashboard: Json = JSON.parse(read('monitoring/dashboard.json'));
const panels = objectsAt(dashboard, 'panels');

/** The names of series that exist. */
const series = new Set(
  everyDefinition().flatMap(({ name, type }) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => `${name}${suffix}`) : [name],
  ),
);
const labelsOf = new Map(everyDefinition().map(({ name, labels }) => [name, labels]));

const WORDS = new Set([
  'by',
  'on',
  'and',
  'or',
  'unless',
  'max',
  'min',
  'sum',
  'count',
  'time',
  'rate',
  'increase',
]);
for (const word of ['changes', 'absent', 'histogram_quantile', 'label_values', 'le']) WORDS.add(word);

/** The names of metrics in an expression: identifiers that are no function, keyword, label or number. */
function metricsIn(expression: string): readonly string[] {
  const plain = expression
    .replace(/"[^"]*"/g, '""')
    .replace(/\{[^}]*\}/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(by|on|without)\s*\([^)]*\)/g, '')
    .replace(/, (pool|namespace)\)/g, ')');
  return [...plain.matchAll(/[a-zA-Z_:][a-zA-Z0-9_:]*/g)]
    .map(([name]) => name)
    .filter((name) => !WORDS.has(name));
}

/** As GitHub makes them. */
const anchors = new Set(
  [...read('docs/troubleshooting.md').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  ),
);

describe('each alert', () => {
  const rows = alerts.map((alert) => [stringAt(alert, 'alert'), alert] as const);

  it.each(rows)('%s names only metrics that exist', (_, alert) => {
    const names = metricsIn(stringAt(alert, 'expr'));
    expect(names).not.toEqual([]);
    expect(names.filter((name) => !series.has(name))).toEqual([]);
  });

  it.each(rows)('%s has a section in docs/troubleshooting.md', (name, alert) => {
    const link = stringAt(alert, 'annotations', 'runbook_url');
    expect(link).toBe(`docs/troubleshooting.md#${name.toLowerCase()}`);
    expect(anchors).toContain(name.toLowerCase());
  });

  it.each(rows)('%s names only causes that the doctor knows, as its section does', (name, alert) => {
    const causes = stringAt(alert, 'annotations', 'causes')
      .split(', ')
      .filter((code) => code !== '');
    const known = new Set(RULES.flatMap(({ codes }) => codes));
    expect(causes.filter((code) => !known.has(code))).toEqual([]);
    const section = read('docs/troubleshooting.md').split(`### ${name}\n`)[1]?.split('\n### ')[0] ?? '';
    const shown = /\*\*Codes\.\*\* (.*)/.exec(section)?.[1] ?? '';
    expect([...shown.matchAll(/\[(\w+)\]/g)].map(([, code]) => code)).toEqual(causes);
  });

  it.each(rows)('%s has a severity, a summary and a description', (_, alert) => {
    expect(['info', 'warning', 'critical']).toContain(stringAt(alert, 'labels', 'severity'));
    for (const text of ['summary', 'description']) expect(stringAt(alert, 'annotations', text)).not.toBe('');
  });

  it.each(rows)('%s is tested, firing and not firing', (name) => {
    const tests = objectsAt(yaml('monitoring/alerts.test.yaml'), 'tests')
      .flatMap((test) => objectsAt(test, 'alert_rule_test'))
      .filter((test) => stringAt(test, 'alertname') === name);
    const firing = tests.map((test) => objectsAt(test, 'exp_alerts').length > 0);
    expect([...new Set(firing)].sort()).toEqual([false, true]);
  });
});

it('the alerts of upstream have its expressions, durations and severities', () => {
  const upstream = alerts
    .filter((alert) => !stringAt(alert, 'alert').startsWith('Millwright'))
    .map((alert) => [
      stringAt(alert, 'alert'),
      stringAt(alert, 'expr'),
      stringAt(alert, 'for'),
      stringAt(alert, 'labels', 'severity'),
    ]);
  expect(upstream).toEqual([
    ['MCCDrainError', 'mcc_drain_err > 0', '', 'warning'],
    ['MCCPoolAlert', 'mcc_pool_alert > 0', '', 'warning'],
    ['MCDRebootError', 'mcd_reboots_failed_total > 0', '5m', 'critical'],
    ['MCDPivotError', 'mcd_pivot_errors_total > 0', '2m', 'warning'],
    ['KubeletHealthState', 'mcd_kubelet_state > 2', '', 'warning'],
    ['OCLBuildFailed', 'increase(ocl_build_total{state="failed"}[5m]) > 0', '1m', 'warning'],
    ['OCLBuildDegraded', 'ocl_build_state{state="failed"} == 1', '10m', 'warning'],
    ['OCLImagePushFailed', 'ocl_image_push_state{state="failed"} == 1', '10m', 'warning'],
    ['MCCBootImageSkewEnforcementNone', 'mcc_boot_image_skew_enforcement_none == 1', '', 'info'],
  ]);
});

describe('the dashboard', () => {
  const queries = [
    ...panels.flatMap((panel) =>
      objectsAt(panel, 'targets').map(
        (target) => [stringAt(panel, 'title'), stringAt(target, 'expr')] as const,
      ),
    ),
    ...objectsAt(dashboard, 'templating', 'list').flatMap((variable) =>
      stringAt(variable, 'type') === 'query'
        ? [[`variable ${stringAt(variable, 'name')}`, stringAt(variable, 'query')] as const]
        : [],
    ),
  ];

  it.each(queries)('%s names only metrics that exist: %s', (_, query) => {
    const names = metricsIn(query);
    expect(names).not.toEqual([]);
    expect(names.filter((name) => !series.has(name))).toEqual([]);
  });

  it('groups by labels that the metrics have', () => {
    // Of the target, from Prometheus.
    const given = new Set(['namespace', 'pod', 'container', 'node', 'le']);
    for (const [title, query] of queries) {
      const own = metricsIn(query).flatMap(
        (name) => labelsOf.get(name.replace(/_(bucket|sum|count)$/, '')) ?? labelsOf.get(name) ?? [],
      );
      const grouped = [...query.matchAll(/by \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(', '));
      expect(
        grouped.filter((label) => !given.has(label) && !own.includes(label)),
        title,
      ).toEqual([]);
    }
  });

  it('shows panels that do not overlap', () => {
    const places = panels.map((panel) => JSON.stringify(panel.gridPos));
    expect(new Set(places).size).toBe(panels.length);
  });
});

it('a metric that does not exist is found', () => {
  expect(metricsIn('max by (pool) (mco_machine_counts{a="b"}) > 0')).toEqual(['mco_machine_counts']);
});

it('each metric is described in docs/metrics.md', () => {
  const text = read('docs/metrics.md');
  expect(everyDefinition().filter(({ name }) => !text.includes(`\`${name}\``))).toEqual([]);
});
