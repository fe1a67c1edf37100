/** The target of a pool does not exist: nodes could not fetch it, so none is sent. */
import type { PoolFacts } from '../facts.ts';
import type { Found } from '../finding.ts';
import { aPool } from '../objects.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

export const missingTarget: Rule = {
  codes: ['MissingMachineConfig'],
  stage: 'rollout',
  find: ({ pools }) => pools.flatMap(findingOf),
};

function findingOf({ name, summary, gate }: PoolFacts): readonly Found[] {
  if (gate.kind === 'open' || gate.reason !== 'MissingMachineConfig') return [];
  const object = { kind: 'MachineConfig', name: summary.target };
  return [
    {
      code: 'MissingMachineConfig',
      cause: `pool ${name} sends no node, since its target ${summary.target} does not exist`,
      about: aPool(name),
      pools: [name],
      evidence: [
        { object: aPool(name), field: 'spec.configuration.name', value: summary.target },
        { object, field: 'metadata', value: 'there is none' },
      ],
      next: [
        { command: shell`kubectl get machineconfigs | grep rendered-${name}-`, why: 'those that exist' },
        {
          command: shell`kubectl describe machineconfigpool ${name}`,
          why: 'the render controller writes it again',
        },
      ],
    },
  ];
}
