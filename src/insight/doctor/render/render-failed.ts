/** A pool whose sources cannot be rendered: its nodes keep what they have, and no later change reaches them. */
import { annotations } from '../../../api/index.ts';
import { annotationOf, conditionOf } from '../../../kubernetes/meta/index.ts';
import type { PoolFacts } from '../facts.ts';
import type { Found, NextCommand } from '../finding.ts';
import { annotation, aPool, conditionSince } from '../objects.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';
import { isOfOtherVersion } from './other-version.ts';

export const renderFailed: Rule = {
  codes: ['RenderFailed'],
  stage: 'render',
  find: ({ pools }) => pools.flatMap(findingOf),
};

function findingOf({ name, pool, summary }: PoolFacts): readonly Found[] {
  const problem = renderProblem(pool);
  if (problem === undefined || isOfOtherVersion(problem)) return [];
  const { since } = conditionSince(pool, 'RenderDegraded');
  const target = summary.target === '' ? 'it has no config' : `its nodes keep ${summary.target}`;
  return [
    {
      code: 'RenderFailed',
      cause: `the config of pool ${name} cannot be rendered: ${withoutPrefix(problem)}`,
      about: aPool(name),
      pools: [name],
      ...(since && { since }),
      evidence: [
        annotation(aPool(name), annotations.renderProblem, problem, since),
        { object: aPool(name), field: 'spec.configuration.name', value: summary.target || `none: ${target}` },
      ],
      next: nextOf(name, problem),
    },
  ];
}

/** The annotation is newer than the condition; upstream has the condition alone. */
function renderProblem(pool: unknown): string | undefined {
  const noted = annotationOf(pool, annotations.renderProblem);
  if (noted !== undefined) return noted;
  const degraded = conditionOf(pool, 'RenderDegraded');
  return degraded?.status === 'True' && degraded.message !== '' ? degraded.message : undefined;
}

function withoutPrefix(problem: string): string {
  return problem.replace(/^Failed to render configuration for pool \S+: /, '');
}

function nextOf(pool: string, problem: string): readonly NextCommand[] {
  const source = /\(in MachineConfig ([a-z0-9.-]+)\)/.exec(problem)?.[1];
  return [
    ...(source === undefined
      ? []
      : [
          {
            command: shell`kubectl get machineconfig ${source} -o yaml`,
            why: 'the source to correct or delete',
          },
        ]),
    { command: shell`kubectl describe machineconfigpool ${pool}`, why: 'the whole message, and since when' },
  ];
}
