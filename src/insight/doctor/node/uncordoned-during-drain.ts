/**
 * Another client uncordons a node again and again while it is drained, so that new pods come. The drain controller cordons it
 * again, each time with a new attempt; attempts that nothing refused and that did not time out tell.
 */
import { annotations } from '../../../api/index.ts';
import { since } from '../../timestamp.ts';
import type { NodeFacts } from '../facts.ts';
import type { Found } from '../finding.ts';
import { aNode, annotation } from '../objects.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

/** One or two may be a restart of the controller. */
const MIN_ATTEMPTS = 5;

export const uncordonedDuringDrain: Rule = {
  codes: ['UncordonedDuringDrain'],
  stage: 'node',
  find: ({ nodes }) => nodes.flatMap(findingOf),
};

function findingOf({ name, pool, drain }: NodeFacts): readonly Found[] {
  const record = drain.currentRecord;
  if (record === undefined || !drain.isPending || drain.request?.verb !== 'drain') return [];
  const { attempts, lastRefusal, lastError, cordonError } = record;
  if (attempts < MIN_ATTEMPTS || (lastRefusal ?? lastError ?? cordonError) !== undefined) return [];
  const { since: began } = since(record.beganMs);
  return [
    {
      code: 'UncordonedDuringDrain',
      cause: `another client uncordons node ${name} while it is drained: it was cordoned ${attempts} times, and no eviction was refused`,
      about: aNode(name),
      pools: [pool],
      ...(began && { since: began }),
      evidence: [
        annotation(
          aNode(name),
          annotations.drain,
          `${attempts} attempts, none of them refused or timed out`,
          began,
        ),
      ],
      next: [
        {
          command: shell`kubectl get node ${name} -o yaml --show-managed-fields`,
          why: 'which client writes spec.unschedulable',
        },
      ],
    },
  ];
}
