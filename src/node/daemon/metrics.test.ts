import { expect, it } from 'vitest';
import { DaemonMetrics, formatMetrics } from './metrics.ts';

it('formatMetrics prints the text format of Prometheus', () => {
  const metrics = new DaemonMetrics();
  metrics.set('mcd_state', 5, { state: 'Degraded', reason: 'a "b"\n\\' });
  metrics.set('mcd_state', 7, { state: 'Done', reason: 'a "b"\n\\' });
  metrics.add('mcd_reboots_failed_total');
  metrics.add('mcd_reboots_failed_total');
  const lines = formatMetrics(metrics.all()).split('\n');
  expect(lines.filter((line) => line.startsWith('mcd_'))).toEqual([
    'mcd_pivot_errors_total 0',
    'mcd_state{reason="a \\"b\\"\\n\\\\",state="Done"} 7',
    'mcd_kubelet_state 0',
    'mcd_reboots_failed_total 2',
    'mcd_config_drift 0',
  ]);
  expect(lines).toContain('# TYPE mcd_reboots_failed_total counter');
});
