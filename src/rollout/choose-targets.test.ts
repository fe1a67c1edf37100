import { describe, expect, it } from 'vitest';
import { annotations } from '../api/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import type { Relabelling } from './booted-pool.ts';
import { selectCandidates } from './candidates.ts';
import { type ChoiceOptions, chooseTargets } from './choose-targets.ts';
import { formatDrainRecord } from './drain-record.ts';
import { tallyOf } from './pool-tally.ts';

const RECORD = {
  request: 'drain-x',
  cordonedBy: 'millwright',
  beganMs: 0,
  attempts: 1,
  attemptBeganMs: 0,
} as const;

function aNode(name: string, broken = false): Node {
  const base = { [annotations.currentConfig]: 'v0' };
  const given = broken
    ? {
        ...base,
        [annotations.desiredConfig]: 'bad',
        [annotations.state]: 'Degraded',
        [annotations.drain]: formatDrainRecord(RECORD),
      }
    : { ...base, [annotations.desiredConfig]: 'v0', [annotations.state]: 'Done' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, annotations: given },
    spec: { unschedulable: broken },
  };
}

function choose(nodes: readonly Node[], max: number, options: Partial<ChoiceOptions> = {}) {
  const selection = selectCandidates(tallyOf({ config: 'v1' }, nodes).availability, max);
  const { chosen, deferred, relabelled } = chooseTargets(selection, {
    poolName: 'master',
    operatorNodes: [],
    relabelling: () => undefined,
    ...options,
  });
  return {
    chosen: chosen.map(({ name }) => name),
    deferred: deferred?.name,
    relabelled: relabelled.map(({ node }) => node),
  };
}

const three = ['a', 'b', 'c'].map((name) => aNode(name));

it('chooses as many nodes as there is capacity, in order', () => {
  expect(choose(three, 2).chosen).toEqual(['a', 'b']);
  expect(choose(three, 9).chosen).toEqual(['a', 'b', 'c']);
});

it('chooses a retryable node first, without using capacity', () => {
  expect(choose([...three, aNode('z', true)], 2).chosen).toEqual(['z', 'a']);
});

describe('the node that runs the operator', () => {
  it.each<[string, readonly Node[], Partial<ChoiceOptions>, string | undefined, readonly string[]]>([
    ['waits', three, { operatorNodes: ['a'] }, 'a', ['b']],
    ['is updated once it is the last', three.slice(0, 1), { operatorNodes: ['a'] }, undefined, ['a']],
    ['is unknown if two nodes run it', three, { operatorNodes: ['a', 'b'] }, undefined, ['a']],
    ['is unknown if no node runs it', three, { operatorNodes: [] }, undefined, ['a']],
    [
      'waits in the control plane only',
      three,
      { operatorNodes: ['a'], poolName: 'worker' },
      undefined,
      ['a'],
    ],
    ['may be in another pool', three, { operatorNodes: ['x'] }, undefined, ['a']],
    [
      'does not wait if it is out of service anyway',
      [aNode('a', true), ...three.slice(1)],
      { operatorNodes: ['a'] },
      undefined,
      ['a'],
    ],
  ])('%s', (_, nodes, options, deferred, chosen) => {
    expect(choose(nodes, 1, options)).toMatchObject({ deferred, chosen });
  });
});

describe('a node that joined for a custom pool', () => {
  const relabelling = ({ metadata }: Node): Relabelling | undefined =>
    metadata.name === 'a' ? { node: 'a', pool: 'gpu', labels: { gpu: '' }, annotations: {} } : undefined;

  it('gets its labels instead of a target, and uses no capacity', () => {
    expect(choose(three, 1, { relabelling })).toMatchObject({ chosen: ['b'], relabelled: ['a'] });
  });

  it('is relabelled only as far as there is capacity', () => {
    const looked: string[] = [];
    choose(three, 1, {
      relabelling: ({ metadata }) => {
        looked.push(metadata.name);
        return undefined;
      },
    });
    expect(looked).toEqual(['a']);
  });
});
