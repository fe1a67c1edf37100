/** A pool whose spec keeps it from having nodes, or from sending them. */
import { formatProblem } from '../../../base/errors.ts';
import { canonicalJson } from '../../../base/json.ts';
import { isSelectingAll, maxUnavailable, nodeSelectorProblem } from '../../../rollout/index.ts';
import type { PoolFacts } from '../facts.ts';
import type { Found } from '../finding.ts';
import { aPool } from '../objects.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

export const invalidPoolSpec: Rule = {
  codes: ['SelectingAll', 'InvalidNodeSelector', 'InvalidMaxUnavailable'],
  stage: 'rollout',
  find: ({ pools }) => pools.flatMap((pool) => [...selectorFinding(pool), ...limitFinding(pool)]),
};

function selectorFinding({ name, pool }: PoolFacts): readonly Found[] {
  const problem = nodeSelectorProblem(pool);
  const isAll = isSelectingAll(pool);
  if (!isAll && problem === undefined) return [];
  const why = isAll ? 'it is empty, which would select all nodes' : problem?.message;
  return [
    {
      code: isAll ? 'SelectingAll' : 'InvalidNodeSelector',
      cause: `pool ${name} has no nodes because of its nodeSelector: ${why}`,
      about: aPool(name),
      pools: [name],
      evidence: [
        { object: aPool(name), field: 'spec.nodeSelector', value: canonicalJson(pool.spec?.nodeSelector) },
      ],
      next: [{ command: shell`kubectl edit machineconfigpool ${name}`, why: 'give it labels of its nodes' }],
    },
  ];
}

function limitFinding({ name, pool, members }: PoolFacts): readonly Found[] {
  const limit = maxUnavailable(pool, members.length);
  if (limit.kind === 'ok') return [];
  return [
    {
      code: 'InvalidMaxUnavailable',
      cause: `pool ${name} sends no node, since its maxUnavailable is invalid: ${limit.problems.map(formatProblem).join('; ')}`,
      about: aPool(name),
      pools: [name],
      evidence: [
        {
          object: aPool(name),
          field: 'spec.maxUnavailable',
          value: canonicalJson(pool.spec?.maxUnavailable),
        },
      ],
      next: [
        {
          command: shell`kubectl patch machineconfigpool ${name} --type merge -p '{"spec":{"maxUnavailable":1}}'`,
          why: 'a number, or a percentage such as 10%',
        },
      ],
    },
  ];
}
