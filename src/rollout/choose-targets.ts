/**
 * Who is sent to the target now, of those that may be, and who is left out for the time being.
 */
import type { Node } from '../kubernetes/types/index.ts';
import type { Relabelling } from './booted-pool.ts';
import type { Selection } from './candidates.ts';
import type { Contribution } from './contribution.ts';

export type Choice = {
  /** The nodes to send now, in order. */
  readonly chosen: readonly Contribution[];
  /** The node that waits because the operator runs on it. */
  readonly deferred?: Contribution;
  /** Nodes that joined for a custom pool and first get its labels; they are not sent anywhere. */
  readonly relabelled: readonly Relabelling[];
};

export type ChoiceOptions = {
  readonly poolName: string;
  /** The nodes on which pods of the operator run. */
  readonly operatorNodes: readonly string[];
  /** What a node that joined for a custom pool still lacks; see `relabellingOf`. */
  readonly relabelling: (node: Node) => Relabelling | undefined;
};

/** Looks at no more candidates than it takes to fill the capacity: there may be thousands. */
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
 * Moving the operator while it moves others costs time, so of the control plane its node goes last. With several pods
 * of it, or none, nobody can say which node that would be. A node that is out of service already runs nothing.
 */
function deferredNode({ candidates }: Selection, { poolName, operatorNodes }: ChoiceOptions) {
  const [name] = operatorNodes;
  if (poolName !== 'master' || operatorNodes.length !== 1 || candidates.length < 2) return undefined;
  return candidates.find((candidate) => candidate.name === name && candidate.part === 'candidate');
}
