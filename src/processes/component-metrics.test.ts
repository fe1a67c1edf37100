import { expect, it } from 'vitest';
import { formatMetrics } from '../kubernetes/metrics/index.ts';
import { ComponentMetrics } from './component-metrics.ts';

it('a component says whether it leads before, while and after it does', () => {
  const metrics = new ComponentMetrics('operator');
  const leads = () =>
    /^leader_election_master_status\{name="lease"\} (\d)$/m.exec(formatMetrics([metrics]))?.[1];
  metrics.wait('lease');
  expect(leads()).toBe('0');
  const { end } = metrics.begin('lease');
  expect(leads()).toBe('1');
  end();
  expect(leads()).toBe('0');
});
