import { describe, expect, it } from 'vitest';
import type { ClusterRole } from '../../kubernetes/types/index.ts';
import { aggregatedRules, withAggregatedRules } from './aggregated-rules.ts';
import { aggregatedRole, aggregatesTo, clusterRole, rule } from './policy-builders.ts';

const pods = rule('get', '', 'pods');
const nodes = rule('get', '', 'nodes');
const jobs = rule('get', 'batch', 'jobs');

describe('aggregatedRules', () => {
  it('is undefined for roles without an aggregationRule', () => {
    expect(aggregatedRules(clusterRole('a', [pods]), [])).toBeUndefined();
  });

  it('collects rules by role name, without duplicates and without its own', () => {
    const gatherer = { ...aggregatedRole('all', aggregatesTo('all')), rules: [jobs] };
    const roles = [
      clusterRole('b', [pods, nodes], aggregatesTo('all')),
      clusterRole('a', [nodes], aggregatesTo('all')),
      clusterRole('c', [jobs]),
      gatherer,
    ];
    expect(aggregatedRules(gatherer, roles)).toEqual([nodes, pods]);
  });

  it('follows the order of the selectors', () => {
    const gatherer: ClusterRole = {
      ...clusterRole('all', []),
      aggregationRule: {
        clusterRoleSelectors: [
          { matchLabels: { x: '1' } },
          { matchExpressions: [{ key: 'y', operator: 'Exists' }] },
        ],
      },
    };
    const roles = [
      clusterRole('a', [pods], { y: '' }),
      clusterRole('b', [nodes], { x: '1' }),
      clusterRole('c', [jobs], { x: '2' }),
    ];
    expect(aggregatedRules(gatherer, roles)).toEqual([nodes, pods]);
  });

  it('selects all roles with an empty selector and none without', () => {
    const roles = [clusterRole('a', [pods])];
    const gather = (aggregationRule: NonNullable<ClusterRole['aggregationRule']>) =>
      aggregatedRules({ ...clusterRole('all', []), aggregationRule }, roles);
    expect(gather({ clusterRoleSelectors: [{}] })).toEqual([pods]);
    expect(gather({})).toEqual([]);
  });
});

describe('withAggregatedRules', () => {
  it('aggregates aggregated roles in chains of any length', () => {
    const roles = [
      aggregatedRole('a'),
      aggregatedRole('b', aggregatesTo('a')),
      aggregatedRole('c', aggregatesTo('b')),
      clusterRole('d', [pods], aggregatesTo('c')),
    ];
    expect(withAggregatedRules(roles).map(({ rules }) => rules)).toEqual([[pods], [pods], [pods], [pods]]);
  });

  it('terminates for roles that aggregate each other', () => {
    const roles = [
      aggregatedRole('a', aggregatesTo('b')),
      aggregatedRole('b', aggregatesTo('a')),
      clusterRole('c', [pods], aggregatesTo('a')),
    ];
    expect(withAggregatedRules(roles).map(({ rules }) => rules)).toEqual([[pods], [pods], [pods]]);
  });

  it('keeps the identity of unchanged roles', () => {
    const [own, settled] = [
      clusterRole('a', [pods], aggregatesTo('b')),
      { ...aggregatedRole('b'), rules: [pods] },
    ];
    const result = withAggregatedRules([own, settled]);
    expect(result[0]).toBe(own);
    expect(result[1]).toBe(settled);
  });
});
