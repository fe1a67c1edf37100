/**
 * A node that is not ready, other than by a reboot of ours. While it is not, it uses up one of the nodes that may be unavailable:
 * where none is left, the whole pool waits for it.
 */
import { hasTrueCondition } from '../../../kubernetes/meta/index.ts';
import type { Facts, NodeFacts, PoolFacts } from '../facts.ts';
import type { Found } from '../finding.ts';
import { isOver, LIMITS } from '../limits.ts';
import { aNode, aPool, condition, conditionSince } from '../objects.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

export const nodeNotReady: Rule = {
  codes: ['NodeNotReady'],
  stage: 'rollout',
  find: (facts) =>
    facts.pools.flatMap((pool) => pool.members.flatMap((member) => findingOf(facts, pool, member))),
};

function findingOf({ nowMs }: Facts, pool: PoolFacts, { name, node, summary }: NodeFacts): readonly Found[] {
  const notReady = summary?.notReady;
  if (summary === undefined || notReady === undefined) return [];
  // Of a reboot that takes too long there is another finding.
  if (summary.phase === 'rebooting' || summary.phase === 'joining') return [];
  const { since } = notReady.since === undefined ? pressureSince(node) : notReady;
  if (!isOver(since, LIMITS.restartMs, nowMs)) return [];
  const why = notReady.message === '' ? '' : `: ${notReady.message}`;
  const { maxUnavailable, counts } = pool.summary;
  const effect = pool.isStanding
    ? `, and the pool waits for it, since no more than ${maxUnavailable ?? 1} of its nodes may be unavailable`
    : '';
  return [
    {
      code: 'NodeNotReady',
      // Alone it stops nobody else.
      stage: pool.isStanding ? 'rollout' : 'node',
      cause: `node ${name} is not ready${why}${effect}`,
      about: aNode(name),
      pools: [pool.name],
      ...(since && { since }),
      evidence: [
        ...['Ready', 'DiskPressure', 'NetworkUnavailable'].flatMap((type) =>
          condition(aNode(name), node, type).filter(
            ({ value }) => !/^(True|False)$/.test(value) || type === 'Ready',
          ),
        ),
        ...(pool.isStanding
          ? [
              {
                object: aPool(pool.name),
                field: 'status.unavailableMachineCount',
                value: `${counts.unavailable}`,
              },
            ]
          : []),
      ],
      next: [
        { command: shell`kubectl describe node ${name}`, why: 'its conditions and last heartbeat' },
        { command: 'journalctl -u kubelet --since -10m', why: 'on the machine' },
      ],
    },
  ];
}

/** Since when its disk or network is not fit: the summary only has the time of Ready. */
function pressureSince(node: unknown): { readonly since?: string } {
  const isTrue = (type: string) => hasTrueCondition(node, type);
  const type = ['DiskPressure', 'NetworkUnavailable'].find(isTrue);
  return type === undefined ? {} : conditionSince(node, type);
}
