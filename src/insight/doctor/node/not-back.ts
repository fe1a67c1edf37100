/** A node that has not come back from the reboot of its update within ten minutes: the machine, or only its daemon. */
import { annotations } from '../../../api/index.ts';
import type { Facts, NodeFacts } from '../facts.ts';
import type { Found } from '../finding.ts';
import { aMachineConfigNode, aNode, annotation, condition } from '../objects.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

export const notBack: Rule = {
  codes: ['NodeNotBack', 'DaemonNotBack'],
  stage: 'node',
  find: (facts) => facts.nodes.flatMap((node) => findingOf(facts, node)),
};

function findingOf({ namespace }: Facts, { name, node, pool, record, summary }: NodeFacts): readonly Found[] {
  if (summary?.overdue === undefined) return [];
  const isMachine = summary.overdue === 'machine';
  // A machine that refuses to reboot stays ready, and its daemon has said so.
  if (!isMachine && summary.failure !== undefined) return [];
  const since = summary.phaseSince ?? summary.notReady?.since;
  return [
    {
      code: isMachine ? 'NodeNotBack' : 'DaemonNotBack',
      cause: isMachine
        ? `node ${name} has not come back from the reboot of its update`
        : `node ${name} is ready again after the reboot of its update, but its daemon has not reported`,
      about: aNode(name),
      pools: [pool],
      ...(since && { since }),
      evidence: [
        annotation(aNode(name), annotations.postConfigAction, 'Rebooting', since),
        ...condition(aMachineConfigNode(name), record, 'RebootedNode'),
        ...condition(aNode(name), node, 'Ready'),
      ],
      next: isMachine
        ? [
            {
              command: shell`kubectl describe node ${name}`,
              why: 'when it was last seen; then look at its console',
            },
            {
              command: shell`kubectl get machineconfignode ${name} -o yaml`,
              why: 'what was applied; booting the previous deployment rolls it back',
            },
          ]
        : [
            {
              command: shell`kubectl -n ${namespace} get pods -o wide -l k8s-app=machine-config-daemon --field-selector spec.nodeName=${name}`,
              why: 'does its daemon run?',
            },
          ],
    },
  ];
}
