/**
 * A degraded node, by the error that its daemon reports. The first kind of failure that knows the error names it; what none knows
 * is NodeDegraded.
 *
 * Drains and cordons have rules of their own: the daemon only reports that they take too long.
 */
import { annotations } from '../../../api/index.ts';
import type { Facts, NodeFacts } from '../facts.ts';
import type { Found } from '../finding.ts';
import { aMachineConfigNode, aNode, annotation, condition } from '../objects.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';
import type { FailureKind } from './failure-kind.ts';
import { OS_FAILURES } from './os-failures.ts';
import { REFUSED_UPDATES } from './refused-updates.ts';
import { STATE_FAILURES } from './state-failures.ts';
import { STEP_FAILURES } from './step-failures.ts';

const OTHER: FailureKind = {
  code: 'NodeDegraded',
  pattern: /(?:)/,
  cause: ({ node, error }) => `node ${node} cannot apply its config: ${error}`,
  next: ({ node }) => [
    { command: shell`kubectl describe machineconfignode ${node}`, why: 'in which phase it fails' },
    { command: shell`kubectl describe node ${node}`, why: 'its events; the daemon tries again by itself' },
  ],
};

const KINDS: readonly FailureKind[] = [
  ...REFUSED_UPDATES,
  ...STATE_FAILURES,
  ...OS_FAILURES,
  ...STEP_FAILURES,
];

export const nodeFailed: Rule = {
  codes: ['NodeDegraded', ...KINDS.map(({ code }) => code)],
  stage: 'node',
  find: (facts) => facts.nodes.flatMap((node) => findingOf(facts, node)),
};

const OF_DRAIN = /^failed to (drain|uncordon) node: /;

function findingOf(
  { namespace }: Facts,
  { name, pool, record, summary, drain }: NodeFacts,
): readonly Found[] {
  const failure = summary?.failure;
  if (failure === undefined) return [];
  // Where the drain is still under way, it says itself why.
  if (OF_DRAIN.test(failure.message) && drain.isPending) return [];
  const error = withoutFrame(failure.message);
  const isUnreconcilable = failure.kind === 'unreconcilable';
  const kind =
    KINDS.find((one) => one.pattern.test(error) || (isUnreconcilable && one.isUnreconcilable)) ?? OTHER;
  const match = kind.pattern.exec(error);
  const details = {
    node: name,
    pool,
    namespace,
    error,
    match: match?.[1] ?? '',
    desired: summary?.desired ?? '',
  };
  return [
    {
      code: kind.code,
      cause: kind.cause(details),
      about: aNode(name),
      pools: [pool],
      ...(failure.since && { since: failure.since }),
      evidence: [
        annotation(
          aNode(name),
          annotations.state,
          isUnreconcilable ? 'Unreconcilable' : 'Degraded',
          failure.since,
        ),
        annotation(aNode(name), annotations.reason, failure.message, failure.since),
        ...condition(aMachineConfigNode(name), record, 'NodeDegraded').map(({ value: _, ...rest }) => ({
          ...rest,
          value: 'True',
        })),
      ],
      next: kind.next(details),
    },
  ];
}

/** Without what is the same for every error: only the last attempt says why. */
function withoutFrame(message: string): string {
  return message
    .replace(/^Node \S+ upgrade failure\. /, '')
    .replace(/: timed out waiting for the condition(?:; last error: )?/, ': ');
}
