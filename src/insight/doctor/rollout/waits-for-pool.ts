/** The control plane and its arbiter share one etcd: a pool waits while the other has an unavailable node that nothing brings back. */
import type { Facts, PoolFacts } from '../facts.ts';
import type { Found } from '../finding.ts';
import { aNode, aPool } from '../objects.ts';
import { listed } from '../prose.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

export const waitsForPool: Rule = {
  codes: ['WaitsForMaster', 'WaitsForArbiter'],
  stage: 'rollout',
  find: (facts) => facts.pools.flatMap((pool) => findingOf(facts, pool)),
};

function findingOf({ pools }: Facts, { name, gate, summary }: PoolFacts): readonly Found[] {
  if (gate.kind === 'open' || summary.counts.waiting === 0) return [];
  const { reason, message } = gate;
  if (reason !== 'WaitsForMaster' && reason !== 'WaitsForArbiter') return [];
  const other = pools.find((one) => one.name === (reason === 'WaitsForMaster' ? 'master' : 'arbiter'));
  const held = (other?.summary.nodes ?? []).filter(
    ({ notReady, cordonedBy, state }) =>
      state !== 'moving' && (notReady !== undefined || cordonedBy === 'other'),
  );
  // Its nodes are being updated: that ends by itself, or has a cause of its own.
  if (other !== undefined && held.length === 0 && other.summary.counts.unavailable > 0) return [];
  return [
    {
      code: reason,
      cause: `pool ${name} sends no node: ${message}${held.length === 0 ? '' : ` (${listed(held.map((node) => node.name))})`}`,
      about: aPool(name),
      pools: [name],
      evidence: held.slice(0, 3).map((node) => ({
        object: aNode(node.name),
        field: node.notReady === undefined ? 'spec.unschedulable' : 'status.conditions[Ready]',
        value: node.notReady === undefined ? 'true, not set by Millwright' : node.notReady.message,
        ...(node.notReady?.since && { since: node.notReady.since }),
      })),
      next: held.slice(0, 1).map((node) => ({
        command:
          node.notReady === undefined
            ? shell`kubectl uncordon ${node.name}`
            : shell`kubectl describe node ${node.name}`,
        why: node.notReady === undefined ? 'if it may serve again' : 'why it is not ready',
      })),
    },
  ];
}
