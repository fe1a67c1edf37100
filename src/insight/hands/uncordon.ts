/**
 * `millwright uncordon`: removes a cordon of Millwright that is left over. A cordon of a person is theirs, and the one of an update in
 * progress keeps pods from a node that may reboot at any moment.
 */
import { nameOf } from '../../kubernetes/meta/index.ts';
import { cordonHolder, DRAIN_FIELD_MANAGER, drainState, isCordoned, isDone } from '../../rollout/index.ts';
import { oneLine } from '../messages.ts';
import { type HandDecision, refused } from './hand-decision.ts';
import { type NodeView, phaseText } from './pool-view.ts';

export function decideUncordon(given: NodeView): HandDecision {
  const { node } = given;
  const name = nameOf(node);
  if (!isCordoned(node)) return { kind: 'unchanged', lines: [`node ${name} is not cordoned`] };
  const { record } = drainState(node);
  if (cordonHolder(node, record, DRAIN_FIELD_MANAGER) === 'other') {
    return refused(
      `the cordon of node ${name} is not Millwright's, which leaves it as it is: kubectl uncordon ${name}`,
    );
  }
  const progress = progressProblem(given);
  if (progress !== undefined) return refused(progress);
  const { resourceVersion } = node.metadata;
  return {
    kind: 'change',
    lines: [`node ${name} takes pods again: Millwright had cordoned it, and no update of it is in progress`],
    patch: {
      // Decided for this version of the Node: an update may begin at any moment.
      metadata: { ...(resourceVersion === undefined ? {} : { resourceVersion }) },
      spec: { unschedulable: null },
    },
    done: 'uncordoned',
    planned: 'would be uncordoned',
  };
}

function progressProblem({ node, summary, view }: NodeView): string | undefined {
  const { isPending, request } = drainState(node);
  const isReleasing = isPending && request?.verb === 'uncordon';
  const isDraining = isPending && request?.verb === 'drain';
  if (!isDraining && (isReleasing || isDone(node))) return undefined;
  const name = nameOf(node);
  if (summary?.failure !== undefined) {
    return `the update of node ${name} fails (${oneLine(summary.failure.message)}), and it may reboot at any attempt: mend it, or revert its config; it is uncordoned then`;
  }
  const phase = summary === undefined || view === undefined ? '' : phaseText(summary, view.now);
  return `an update of node ${name} is in progress${phase === '' ? '' : ` (${phase})`}: it is uncordoned when that has ended`;
}
