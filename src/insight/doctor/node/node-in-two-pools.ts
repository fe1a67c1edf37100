/** A node that two custom pools select: it is in neither, and not updated, until the administrator decides. */

import { canonicalJson } from '../../../base/json.ts';
import { nameOf } from '../../../kubernetes/meta/index.ts';
import type { NodeFacts } from '../facts.ts';
import type { Found } from '../finding.ts';
import { aNode, aPool } from '../objects.ts';
import { listed } from '../prose.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

export const nodeInTwoPools: Rule = {
  codes: ['NodeInTwoPools'],
  stage: 'node',
  find: ({ nodes }) => nodes.flatMap(findingOf),
};

function findingOf({ name, membership }: NodeFacts): readonly Found[] {
  if (membership.kind !== 'conflict') return [];
  const pools = membership.pools.map(nameOf);
  return [
    {
      code: 'NodeInTwoPools',
      cause: `node ${name} is not updated, since the custom pools ${listed(pools)} both select it`,
      about: aNode(name),
      pools,
      evidence: membership.pools.map((pool) => ({
        object: aPool(nameOf(pool)),
        field: 'spec.nodeSelector',
        value: canonicalJson(pool.spec?.nodeSelector),
      })),
      next: [
        {
          command: shell`kubectl get node ${name} --show-labels`,
          why: 'remove the label of all but one of the pools',
        },
      ],
    },
  ];
}
