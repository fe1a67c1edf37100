/**
 * Which candidates are sent to the target now, and which are deferred.
 */
import type { Node } from '../kubernetes/types/index.ts';
import type { Relabelling } from './booted-pool.ts';
import type { Selection } from './candidates.ts';
import type { Contribution } from './contribution.ts';

export type Choice = {
  /** The nodes to send now, in order. */
  readonly chosen: readonly Contribution[];
  /** The node that is deferred because the operator runs on it. */
  readonly deferred?: Contribution;
  /** Nodes that were installed for a custom pool and get its labels first; they are not sent. */
  readonly relabelled: readonly Relabelling[];
};

export type ChoiceOptions = {
  readonly poolName: string;
  /** The nodes on which pods of the operator run. */
  readonly operatorNodes: readonly string[];
  /** The missing labels of a node that was installed for a custom pool; see `relabellingOf`. */
  readonly relabelling: (node: Node) => Relabelling | undefined;
};

/** Asks for missing labels of only as many candidates as the capacity needs: there may be thousands. */
export function chooseTargets(selection: Selection, options: ChoiceOptions): Choice {
  const deferred = deferredNode(selection, options);
  const chosen: Contribution[] = [];
  const relabelled: Relabelling[] = [];
  for (const candidate of selection.candidates) {
    if (chosen.length >= selection.capacity) break;
    if (candidate === deferred) continue;
    const relabelling = options.relabelling(candidate.node);
    if (relabelling === undefined) chosen.push(candidate);
    else relabelled.push(relabelling);
  }
  return { chosen, ...(deferred === undefined ? {} : { deferred }), relabelled };
}

/**
 * Evicting the operator during a rollout delays it, so its node is the last of the control plane. With several operator
 * pods, or none, there is no such node. A node that is already unavailable does not run it.
 */
function deferredNode({ candidates }: Selection, { poolName, operatorNodes }: ChoiceOptions) {
  const [name] = operatorNodes;
  if (poolName !== 'master' || operatorNodes.length !== 1 || candidates.length < 2) return undefined;
  return candidates.find((candidate) => candidate.name === name && candidate.part === 'candidate');
}
