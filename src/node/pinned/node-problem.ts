/**
 * What of a Node keeps images from being pulled.
 */
import { labels } from '../../api/index.ts';
import { stringAt } from '../../base/json-fields.ts';
import { parseQuantity, wholeNumber } from '../../base/text/index.ts';
import { conditionOf, labelOf, nameOf } from '../../kubernetes/meta/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';

/** In upstream's words; undefined where nothing does. */
export function nodeProblem(node: Node): string | undefined {
  const ready = conditionOf(node, 'Ready')?.status ?? 'Unknown';
  if (ready !== 'True') return `node ${nameOf(node)} is reporting NotReady=${ready}`;
  const hasPressure = conditionOf(node, 'DiskPressure')?.status === 'True';
  return hasPressure ? `node ${nameOf(node)} is reporting OutOfDisk=True` : undefined;
}

/** For a machine whose free space is unknown. */
export function allocatableBytes({ status }: Node): number | undefined {
  const quantity = parseQuantity(stringAt(status, 'allocatable', 'ephemeral-storage'));
  const bytes = 'error' in quantity ? undefined : wholeNumber(quantity);
  return bytes === undefined ? undefined : Number(bytes);
}

/** How many images are pulled at the same time: a control plane has other work to do. */
export function pullsAtOnce(node: Node): number {
  const isControlPlane = [labels.nodeRoleMaster, labels.nodeRoleControlPlane].some(
    (label) => labelOf(node, label) !== undefined,
  );
  return isControlPlane ? 1 : MAX_PULLS;
}

const MAX_PULLS = 5;
