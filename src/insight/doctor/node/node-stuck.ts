/** A node that has been in one phase of its update for more than an hour, and nothing else says why. */
import { PHASE_MESSAGES } from '../../messages.ts';
import type { Facts, NodeFacts } from '../facts.ts';
import type { Found } from '../finding.ts';
import { isOver, LIMITS } from '../limits.ts';
import { aMachineConfigNode, aNode } from '../objects.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

/** Other rules have shorter limits for these. */
const OTHERS: ReadonlySet<string> = new Set(['joining', 'starting', 'rebooting', 'draining']);

export const nodeStuck: Rule = {
  codes: ['NodeStuck'],
  stage: 'node',
  find: (facts) => facts.nodes.flatMap((node) => findingOf(facts, node)),
};

function findingOf({ nowMs, namespace }: Facts, { name, pool, summary }: NodeFacts): readonly Found[] {
  const { phase, phaseSince, failure } = summary ?? {};
  if (phase === undefined || OTHERS.has(phase) || failure !== undefined) return [];
  if (!isOver(phaseSince, LIMITS.phaseMs, nowMs)) return [];
  return [
    {
      code: 'NodeStuck',
      cause: `node ${name} has been ${PHASE_MESSAGES[phase]} for more than an hour, and reports no error`,
      about: aNode(name),
      pools: [pool],
      ...(phaseSince && { since: phaseSince }),
      evidence: [
        {
          object: aMachineConfigNode(name),
          field: 'status.conditions',
          value: PHASE_MESSAGES[phase],
          ...(phaseSince && { since: phaseSince }),
        },
      ],
      next: [
        { command: shell`kubectl describe machineconfignode ${name}`, why: 'which condition is Unknown' },
        {
          command: shell`kubectl -n ${namespace} logs -l k8s-app=machine-config-daemon -c machine-config-daemon --prefix --tail 50`,
          why: `the log of the daemon of ${name}`,
        },
      ],
    },
  ];
}
