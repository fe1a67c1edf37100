/**
 * The metrics of a daemon. Names, labels and help texts are upstream's.
 */
import { CONNECTION_METRICS, CONTROLLER_METRICS } from '../../kubernetes/client/index.ts';
import {
  counter,
  type Family,
  gauge,
  type LabelValues,
  type MetricDefinition,
  Metrics,
} from '../../kubernetes/metrics/index.ts';

const GAUGES = {
  mcd_host_os_and_version: gauge(
    'mcd_host_os_and_version',
    'Shows the os that MCD is running on and version if RHCOS',
    { labels: ['os', 'version'] },
  ),
  mcd_pivot_errors_total: gauge('mcd_pivot_errors_total', 'Total number of errors encountered during pivot.'),
  mcd_state: gauge('mcd_state', 'state of daemon on specified node', { labels: ['state', 'reason'] }),
  mcd_kubelet_state: gauge('mcd_kubelet_state', 'state of kubelet health monitor'),
  mcd_update_state: gauge('mcd_update_state', 'completed update config or error', {
    labels: ['config', 'err'],
  }),
  mcd_config_drift: gauge('mcd_config_drift', 'timestamp for config drift'),
  mcd_local_unsupported_packages: gauge(
    'mcd_local_unsupported_packages',
    'Total number of locally layered unsupported packages installed on the node',
    { labels: ['node'] },
  ),
};

const REBOOTS_FAILED = counter('mcd_reboots_failed_total', 'Total number of reboots that failed.');

type GaugeName = keyof typeof GAUGES;

export const DAEMON_METRICS: readonly MetricDefinition[] = [
  ...CONNECTION_METRICS,
  ...CONTROLLER_METRICS,
  ...Object.values(GAUGES),
  REBOOTS_FAILED,
];

export class DaemonMetrics {
  readonly registry = new Metrics(DAEMON_METRICS);
  #pivotErrors = 0;

  constructor() {
    for (const name of ['mcd_pivot_errors_total', 'mcd_kubelet_state', 'mcd_config_drift'] as const) {
      this.set(name, 0);
    }
  }

  /** Keeps only the last series of each metric, as `mcd_state` has labels that change. */
  set<N extends GaugeName>(
    name: N,
    value: number,
    ...[labels]: LabelsOf<N> extends never ? [] : [LabelValues<LabelsOf<N>>]
  ): void {
    const definition: MetricDefinition & { readonly type: 'gauge' } = GAUGES[name];
    this.registry.gauge(definition).replace(labels ?? {}, value);
  }

  addRebootFailure(): void {
    this.registry.counter(REBOOTS_FAILED).add({});
  }

  /** Errors are counted since the last pivot that succeeded. */
  addPivotError(): void {
    this.#pivotErrors += 1;
    this.set('mcd_pivot_errors_total', this.#pivotErrors);
  }

  resetPivotErrors(): void {
    this.#pivotErrors = 0;
    this.set('mcd_pivot_errors_total', 0);
  }

  families(): readonly Family[] {
    return this.registry.families();
  }
}

type LabelsOf<N extends GaugeName> = (typeof GAUGES)[N]['labels'][number];
