import { expect, it } from 'vitest';
import { formatMetrics } from '../../kubernetes/metrics/index.ts';
import { DaemonMetrics } from './metrics.ts';

const linesOf = (metrics: DaemonMetrics) =>
  formatMetrics([metrics])
    .split('\n')
    .filter((line) => line.startsWith('mcd_'));

it('a daemon has upstream’s metrics, with one series of each', () => {
  const metrics = new DaemonMetrics();
  metrics.set('mcd_state', 5, { state: 'Degraded', reason: 'a "b"\n\\' });
  metrics.set('mcd_state', 7, { state: 'Done', reason: '' });
  metrics.addRebootFailure();
  metrics.addRebootFailure();
  expect(linesOf(metrics)).toEqual([
    'mcd_pivot_errors_total 0',
    'mcd_state{state="Done",reason=""} 7',
    'mcd_kubelet_state 0',
    'mcd_config_drift 0',
    'mcd_reboots_failed_total 2',
  ]);
});

it('errors of pivots are counted until one succeeds', () => {
  const metrics = new DaemonMetrics();
  metrics.addPivotError();
  metrics.addPivotError();
  expect(linesOf(metrics)).toContain('mcd_pivot_errors_total 2');
  metrics.resetPivotErrors();
  metrics.addPivotError();
  expect(linesOf(metrics)).toContain('mcd_pivot_errors_total 1');
});
