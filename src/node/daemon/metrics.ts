/**
 * The metrics of a daemon, and Prometheus' text format.
 */

type Definition = { readonly type: 'gauge' | 'counter'; readonly help: string };

const DEFINITIONS = {
  mcd_host_os_and_version: {
    type: 'gauge',
    help: 'Shows the os that MCD is running on and version if RHCOS',
  },
  mcd_pivot_errors_total: { type: 'gauge', help: 'Total number of errors encountered during pivot.' },
  mcd_state: { type: 'gauge', help: 'state of daemon on specified node' },
  mcd_kubelet_state: { type: 'gauge', help: 'state of kubelet health monitor' },
  mcd_reboots_failed_total: { type: 'counter', help: 'Total number of reboots that failed.' },
  mcd_update_state: { type: 'gauge', help: 'completed update config or error' },
  mcd_config_drift: { type: 'gauge', help: 'timestamp for config drift' },
  mcd_local_unsupported_packages: { type: 'gauge', help: 'Number of locally installed packages' },
} as const satisfies { readonly [name: string]: Definition };

type MetricName = keyof typeof DEFINITIONS;
type MetricLabels = { readonly [label: string]: string };

type Metric = Definition & {
  readonly name: MetricName;
  readonly series: readonly { readonly labels: MetricLabels; readonly value: number }[];
};

export class DaemonMetrics {
  readonly #series = new Map<MetricName, { readonly labels: MetricLabels; readonly value: number }>([
    ['mcd_pivot_errors_total', { labels: {}, value: 0 }],
    ['mcd_kubelet_state', { labels: {}, value: 0 }],
    ['mcd_reboots_failed_total', { labels: {}, value: 0 }],
    ['mcd_config_drift', { labels: {}, value: 0 }],
  ]);

  /** Keeps only the last series of each metric, as `mcd_state` has a label that changes. */
  set(name: MetricName, value: number, labels: MetricLabels = {}): void {
    this.#series.set(name, { labels, value });
  }

  add(name: MetricName): void {
    this.set(name, (this.#series.get(name)?.value ?? 0) + 1, this.#series.get(name)?.labels);
  }

  all(): readonly Metric[] {
    return METRIC_NAMES.map((name) => {
      const series = this.#series.get(name);
      return { name, ...DEFINITIONS[name], series: series === undefined ? [] : [series] };
    });
  }
}

/** The response of `/metrics`. */
export function formatMetrics(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ series }) => series.length > 0)
    .flatMap(({ name, type, help, series }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...series.map(({ labels, value }) => `${name}${labelText(labels)} ${value}`),
    ])
    .map((line) => `${line}\n`)
    .join('');
}

const METRIC_NAMES = [
  'mcd_host_os_and_version',
  'mcd_pivot_errors_total',
  'mcd_state',
  'mcd_kubelet_state',
  'mcd_reboots_failed_total',
  'mcd_update_state',
  'mcd_config_drift',
  'mcd_local_unsupported_packages',
] as const satisfies readonly MetricName[];

function labelText(labels: MetricLabels): string {
  const pairs = Object.keys(labels)
    .sort()
    .map((key) => `${key}="${escaped(labels[key] ?? '')}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}
