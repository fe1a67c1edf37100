/** Nodes that somebody else has cordoned are not updated, and count as unavailable: a pool stands where only such nodes are left. */
import type { PoolFacts } from '../facts.ts';
import type { Found } from '../finding.ts';
import { aNode, aPool } from '../objects.ts';
import { listed } from '../prose.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

export const nodeCordoned: Rule = {
  codes: ['NodeCordoned'],
  stage: 'rollout',
  find: ({ pools }) => pools.flatMap(findingOf),
};

function findingOf({ name, summary, members, isStanding }: PoolFacts): readonly Found[] {
  if (!isStanding) return [];
  const cordoned = members.filter(
    ({ summary: node }) =>
      node?.cordonedBy === 'other' && node.notReady === undefined && node.failure === undefined,
  );
  const [first] = cordoned;
  if (first === undefined) return [];
  const { waiting } = summary.counts;
  const names = cordoned.map((node) => node.name);
  return [
    {
      code: 'NodeCordoned',
      cause: `pool ${name} stands: ${listed(names)} ${names.length === 1 ? 'was' : 'were'} cordoned by another client, and ${waiting === 1 ? '1 node is' : `${waiting} nodes are`} left to update`,
      about: aNode(first.name),
      pools: [name],
      evidence: [
        ...cordoned.slice(0, 3).map((node) => ({
          object: aNode(node.name),
          field: 'spec.unschedulable',
          value: 'true, not set by Millwright',
        })),
        {
          object: aPool(name),
          field: 'spec.maxUnavailable',
          value: `${summary.maxUnavailable ?? 1}, with ${summary.counts.unavailable} unavailable`,
        },
      ],
      next: names
        .slice(0, 3)
        .map((node) => ({ command: shell`kubectl uncordon ${node}`, why: 'if it may serve again' })),
    },
  ];
}
