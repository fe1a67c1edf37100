import { describe, expect, it } from 'vitest';
import type { ClusterRole } from '../../kubernetes/types/index.ts';
import { aggregatedRules, withAggregatedRules } from './aggregated-rules.ts';
import { aggregatedRole, aggregatesTo, clusterRole, rule } from './policy-builders.ts';

const pods = rule('get', '', 'pods');
const nodes = rule('get', '', 'nodes');
const jobs = rule('get', 'batch', 'jobs');

describe('aggregatedRules', () => {
  it('a role that gathers nothing keeps its own rules', () => {
    expect(aggregatedRules(clusterRole('a', [pods]), [])).toBeUndefined();
  });

  it('gathers in the order of names, each rule once, and never from itself', () => {
    const gatherer = { ...aggregatedRole('all', aggregatesTo('all')), rules: [jobs] };
    const roles = [
      clusterRole('b', [pods, nodes], aggregatesTo('all')),
      clusterRole('a', [nodes], aggregatesTo('all')),
      clusterRole('c', [jobs]),
      gatherer,
    ];
    expect(aggregatedRules(gatherer, roles)).toEqual([nodes, pods]);
  });

  it('goes by one selector after the other', () => {
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

  it('an empty selector gathers from all, none from nobody', () => {
    const roles = [clusterRole('a', [pods])];
    const gather = (aggregationRule: NonNullable<ClusterRole['aggregationRule']>) =>
      aggregatedRules({ ...clusterRole('all', []), aggregationRule }, roles);
    expect(gather({ clusterRoleSelectors: [{}] })).toEqual([pods]);
    expect(gather({})).toEqual([]);
  });
});

describe('withAggregatedRules', () => {
  it('what was gathered is lent on, however long the chain', () => {
    const roles = [
      aggregatedRole('a'),
      aggregatedRole('b', aggregatesTo('a')),
      aggregatedRole('c', aggregatesTo('b')),
      clusterRole('d', [pods], aggregatesTo('c')),
    ];
    expect(withAggregatedRules(roles).map(({ rules }) => rules)).toEqual([[pods], [pods], [pods], [pods]]);
  });

  it('roles that lend to one another come to rest', () => {
    const roles = [
      aggregatedRole('a', aggregatesTo('b')),
      aggregatedRole('b', aggregatesTo('a')),
      clusterRole('c', [pods], aggregatesTo('a')),
    ];
    expect(withAggregatedRules(roles).map(({ rules }) => rules)).toEqual([[pods], [pods], [pods]]);
  });

  it('roles that do not change stay the very same', () => {
    const [own, settled] = [
      clusterRole('a', [pods], aggregatesTo('b')),
      { ...aggregatedRole('b'), rules: [pods] },
    ];
    const result = withAggregatedRules([own, settled]);
    expect(result[0]).toBe(own);
    expect(result[1]).toBe(settled);
  });
});
