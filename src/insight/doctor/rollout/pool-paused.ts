/** A pool is paused, and its nodes wait for a change. */
import { annotations } from '../../../api/index.ts';
import { annotationOf } from '../../../kubernetes/meta/index.ts';
import type { PoolFacts } from '../facts.ts';
import type { Found } from '../finding.ts';
import { aPool, conditionSince } from '../objects.ts';
import { nodesDo } from '../prose.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

export const poolPaused: Rule = {
  codes: ['PoolPaused'],
  stage: 'rollout',
  find: ({ pools }) => pools.flatMap(findingOf),
};

function findingOf({ name, pool, summary, members }: PoolFacts): readonly Found[] {
  const { waiting } = summary.counts;
  if (!summary.isPaused || waiting === 0) return [];
  const { since } = conditionSince(pool, 'Updated');
  const behind = members.find(({ summary: node }) => node?.state === 'waiting');
  const current = annotationOf(behind?.node, annotations.currentConfig) ?? '';
  return [
    {
      code: 'PoolPaused',
      cause: `pool ${name} is paused, and ${nodesDo(waiting, 'wait')} for ${summary.target}`,
      about: aPool(name),
      pools: [name],
      ...(since && { since }),
      evidence: [
        { object: aPool(name), field: 'spec.paused', value: 'true' },
        {
          object: aPool(name),
          field: 'spec.configuration.name',
          value: current === '' ? summary.target : `${summary.target}; ${behind?.name} has ${current}`,
          ...(since && { since }),
        },
      ],
      next: [
        { command: shell`millwright resume ${name}`, why: 'rolls the changes out' },
        {
          command: shell`kubectl get machineconfigpool ${name} -o yaml --show-managed-fields`,
          why: 'who paused it',
        },
      ],
    },
  ];
}
