/**
 * A drain that does not succeed, where only the MachineConfigNode says so: in dumps of OpenShift, whose drain controller keeps no record
 * on the Node.
 */
import { annotations } from '../../../api/index.ts';
import { conditionOf } from '../../../kubernetes/meta/index.ts';
import type { Facts, NodeFacts } from '../facts.ts';
import type { Found } from '../finding.ts';
import { isOver, LIMITS } from '../limits.ts';
import { aMachineConfigNode, aNode, annotation, condition, conditionSince } from '../objects.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

export const drainReported: Rule = {
  codes: ['DrainBlocked'],
  stage: 'node',
  find: (facts) => facts.nodes.flatMap((node) => findingOf(facts, node)),
};

const FAILED = /^Error: Node Drain has not succeeded\. Error is: (.*?)\.? The drain will not be complete/s;
const EVICTED = /error when evicting pods\/"([^"]+)" -n "([^"]+)"/;

function findingOf({ nowMs }: Facts, { name, pool, record, drain }: NodeFacts): readonly Found[] {
  if (!drain.isPending || drain.request?.verb !== 'drain' || drain.record !== undefined) return [];
  const error = FAILED.exec(conditionOf(record, 'Drained')?.message ?? '')?.[1];
  const { since } = conditionSince(record, 'Drained');
  if (error === undefined || !isOver(since, LIMITS.refusedEvictionMs, nowMs)) return [];
  const [, pod, namespace] = EVICTED.exec(error) ?? [];
  return [
    {
      code: 'DrainBlocked',
      cause: `the drain of node ${name} is blocked: ${error}`,
      about: aNode(name),
      pools: [pool],
      ...(since && { since }),
      evidence: [
        ...condition(aMachineConfigNode(name), record, 'Drained'),
        annotation(aNode(name), annotations.desiredDrain, drain.requested),
        annotation(aNode(name), annotations.lastAppliedDrain, drain.applied || 'none'),
      ],
      next: [
        namespace === undefined
          ? {
              command: shell`kubectl get pods -A --field-selector spec.nodeName=${name}`,
              why: 'what is left on it',
            }
          : { command: shell`kubectl -n ${namespace} get pdb`, why: `the budgets of pod ${pod}` },
      ],
    },
  ];
}
