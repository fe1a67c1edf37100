/**
 * Nodes that join a pool whose configuration is empty, as in a cluster that was installed by others.
 *
 * Their daemons report that they were never given a config (`EMPTY_CONFIG_NAME`). Taking them to an empty one changes nothing
 * on the machine and costs no pod, so it uses no capacity and a paused pool does not hold it up: a pool is paused against
 * changes. All other nodes without a config are updated like any node.
 */
import { annotations, EMPTY_CONFIG_NAME } from '../api/index.ts';
import { annotationOf } from '../kubernetes/meta/index.ts';
import type { Contribution } from './contribution.ts';
import { isDone } from './node-state.ts';
import type { Gate } from './pool-gate.ts';

type AdoptionInput = {
  readonly gate: Gate;
  /** Whether the target of the pool is empty: it has neither a config nor an image for nodes. */
  readonly isTargetEmpty: boolean;
  readonly candidates: Iterable<Contribution>;
};

export function nodesToAdopt({ gate, isTargetEmpty, candidates }: AdoptionInput): readonly Contribution[] {
  const isReady = gate.kind === 'open' || gate.reason === 'Paused';
  if (!isReady || !isTargetEmpty) return [];
  return [...candidates].filter(
    ({ node }) => isDone(node) && annotationOf(node, annotations.currentConfig) === EMPTY_CONFIG_NAME,
  );
}
