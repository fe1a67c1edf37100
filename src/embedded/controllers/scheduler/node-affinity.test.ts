import { describe, expect, it } from 'vitest';
import type { NodeSelectorTerm, PodSpec } from '../../../kubernetes/types/index.ts';
import { meetsRequirements, namedNodes, nodeRequirements } from './node-affinity.ts';

const node = { name: 'worker-0', labels: { zone: 'a', size: '10', disk: 'ssd' } };
const containers = [{ name: 'app' }];
const withTerms = (...nodeSelectorTerms: readonly NodeSelectorTerm[]): PodSpec => ({
  containers,
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});
type Expression = NonNullable<NodeSelectorTerm['matchExpressions']>[number];
const label = (
  key: string,
  operator: Expression['operator'],
  ...values: readonly string[]
): NodeSelectorTerm => ({
  matchExpressions: [{ key, operator, values }],
});
const field = (operator: Expression['operator'], ...values: readonly string[]): NodeSelectorTerm => ({
  matchFields: [{ key: 'metadata.name', operator, values }],
});

const table: readonly (readonly [string, PodSpec, boolean])[] = [
  ['a label that is missing', { containers, nodeSelector: { gpu: 'yes' } }, false],
  ['a label with another value', { containers, nodeSelector: { zone: 'b' } }, false],
  ['an inherited name', { containers, nodeSelector: { constructor: 'Object' } }, false],
  ['labels that are all there', { containers, nodeSelector: { zone: 'a', disk: 'ssd' } }, true],
  ['In without the value', withTerms(label('zone', 'In', 'b', 'c')), false],
  ['In with the value', withTerms(label('zone', 'In', 'b', 'a')), true],
  ['NotIn with the value', withTerms(label('zone', 'NotIn', 'a')), false],
  ['NotIn of a label that is missing', withTerms(label('rack', 'NotIn', 'a')), true],
  ['Exists', withTerms(label('disk', 'Exists')), true],
  ['DoesNotExist', withTerms(label('disk', 'DoesNotExist')), false],
  ['Gt of a smaller number', withTerms(label('size', 'Gt', '9')), true],
  ['Gt of the same number', withTerms(label('size', 'Gt', '10')), false],
  ['Lt of a greater number', withTerms(label('size', 'Lt', '11')), true],
  ['Lt of a value that is not a number', withTerms(label('zone', 'Lt', '11')), false],
  ['its name', withTerms(field('In', 'worker-0')), true],
  ['another name', withTerms(field('In', 'worker-1')), false],
  ['any name but its own', withTerms(field('NotIn', 'worker-0')), false],
  ['any name but another', withTerms(field('NotIn', 'worker-1')), true],
  ['no alternative', withTerms(), false],
  ['an empty alternative', withTerms({}), false],
  ['one of two alternatives', withTerms(label('zone', 'In', 'b'), label('disk', 'Exists')), true],
  ['both of two demands', withTerms({ ...label('zone', 'In', 'a'), ...field('In', 'worker-1') }), false],
  [
    'a label beside an alternative',
    { ...withTerms(label('disk', 'Exists')), nodeSelector: { zone: 'b' } },
    false,
  ],
];

describe('a pod with node requirements', () => {
  it.each(table)('%s', (_, spec, expected) => {
    const demands = nodeRequirements(spec);
    expect(demands !== undefined && meetsRequirements(demands, node)).toBe(expected);
  });

  it('of nothing matches any node', () => {
    expect(nodeRequirements({ containers, affinity: { nodeAffinity: {} } })).toBeUndefined();
  });
});

describe('namedNodes', () => {
  const names: readonly (readonly [string, PodSpec, readonly string[] | undefined])[] = [
    ['are not known without names', withTerms(label('zone', 'In', 'a')), undefined],
    ['are not known where one alternative has none', withTerms(field('In', 'a'), {}), undefined],
    ['are those that are named', withTerms(field('In', 'a'), field('In', 'b')), ['a', 'b']],
    [
      'are those that all demands name',
      withTerms({ matchFields: ['a', 'b'].flatMap((name) => field('In', name).matchFields ?? []) }),
      [],
    ],
    ['are not known by names that are ruled out', withTerms(field('NotIn', 'a')), undefined],
  ];
  it.each(names)('%s', (_, spec, expected) => {
    const found = namedNodes(nodeRequirements(spec));
    expect(found === undefined ? undefined : [...found]).toEqual(expected);
  });
});
