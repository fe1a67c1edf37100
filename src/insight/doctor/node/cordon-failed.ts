/** The API server refuses to cordon or uncordon a node: an admission policy, a webhook or missing permissions. */
import { annotations } from '../../../api/index.ts';
import { since } from '../../timestamp.ts';
import type { NodeFacts } from '../facts.ts';
import type { Found } from '../finding.ts';
import { aNode, annotation } from '../objects.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

export const cordonFailed: Rule = {
  codes: ['FailedToCordon', 'FailedToUncordon'],
  stage: 'node',
  find: ({ nodes }) => nodes.flatMap(findingOf),
};

function findingOf({ name, pool, drain }: NodeFacts): readonly Found[] {
  const error = drain.record?.cordonError;
  // Of an uncordon the record is that of the drain before it.
  const isPresent =
    drain.isPending && drain.request?.verb === (error?.verb === 'cordon' ? 'drain' : 'uncordon');
  if (error === undefined || !isPresent) return [];
  const isCordon = error.verb === 'cordon';
  const { since: began } = since(drain.record?.beganMs);
  return [
    {
      code: isCordon ? 'FailedToCordon' : 'FailedToUncordon',
      cause: `node ${name} cannot be ${error.verb}ed: ${error.message.replace(/^node \S+: /, '')}`,
      about: aNode(name),
      pools: [pool],
      ...(began && { since: began }),
      evidence: [annotation(aNode(name), annotations.drain, error.message, began)],
      next: [
        {
          command: 'kubectl get validatingadmissionpolicies,validatingwebhookconfigurations',
          why: 'who refuses it',
        },
        {
          command: shell`kubectl describe node ${name}`,
          why: 'it is tried again by itself once it is allowed',
        },
      ],
    },
  ];
}
