/** All metrics, by the component that has them. */

import { API_SERVER_METRICS } from '../src/embedded/apiserver/metrics.ts';
import type { MetricDefinition } from '../src/kubernetes/metrics/index.ts';
import { SERIES_DROPPED } from '../src/kubernetes/metrics/index.ts';
import { DAEMON_METRICS } from '../src/node/daemon/index.ts';
import { ComponentMetrics } from '../src/processes/component-metrics.ts';
import { PROCESS_METRICS } from '../src/processes/process-metrics-node.ts';
import { SERVER_METRICS } from '../src/server/index.ts';

export type MeasuredComponent =
  | 'operator'
  | 'controller'
  | 'builder'
  | 'server'
  | 'daemon'
  | 'process'
  | 'apiserver';

export const METRICS: { readonly [component in MeasuredComponent]: readonly MetricDefinition[] } = {
  operator: [...ComponentMetrics.definitions('operator'), SERIES_DROPPED],
  controller: [...ComponentMetrics.definitions('controller'), SERIES_DROPPED],
  builder: [...ComponentMetrics.definitions('builder'), SERIES_DROPPED],
  server: [...SERVER_METRICS, SERIES_DROPPED],
  daemon: [...DAEMON_METRICS, SERIES_DROPPED],
  process: PROCESS_METRICS,
  apiserver: API_SERVER_METRICS,
};

/** Each once. */
export function everyDefinition(): readonly MetricDefinition[] {
  return [...new Set(Object.values(METRICS).flat())];
}
