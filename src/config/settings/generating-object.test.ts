/** Which pools settings are for. */
import { expect, test } from 'vitest';
import { aPool } from '../../../test/support/build.ts';
import type { LabelSelector } from '../../kubernetes/meta/index.ts';
import { selectedPools } from './generating-object.ts';

const pools = [
  aPool('worker', {}, { labels: { tier: 'node' } }),
  aPool('infra', {}, { labels: { tier: 'node', custom: '' } }),
  aPool('going', {}, { labels: { tier: 'node' }, deletionTimestamp: '2025-05-22T12:00:00Z' }),
  aPool('master'),
];

test.each<[string, LabelSelector | undefined, readonly string[]]>([
  ['no selector selects none', undefined, []],
  ['an empty selector selects none', {}, []],
  ['an empty selector with empty parts selects none', { matchLabels: {}, matchExpressions: [] }, []],
  ['a selector that is wrong selects none', { matchExpressions: [{ key: 'tier', operator: 'Near' }] }, []],
  ['by label, sorted, without those that go', { matchLabels: { tier: 'node' } }, ['infra', 'worker']],
  ['by what is not there', { matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] }, ['master']],
])('%s', (_, machineConfigPoolSelector, expected) => {
  const spec = machineConfigPoolSelector === undefined ? {} : { machineConfigPoolSelector };
  expect(selectedPools({ spec }, pools).map(({ metadata }) => metadata.name)).toEqual(expected);
});
