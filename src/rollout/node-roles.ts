/**
 * The roles of a node, as pools see them.
 *
 * Each installer labels nodes in its own way: kubeadm and k3s give workers no role at all, kubeadm calls the control plane
 * `control-plane` only, k3s and RKE2 write `true` where others leave the value empty. Pools select by upstream's labels
 * (`master`, `worker`, without a value), so the labels are translated here, for the selection alone.
 */
import { labels, nodeRoleLabel } from '../api/index.ts';
import { labelsOf } from '../kubernetes/meta/index.ts';
import type { Node } from '../kubernetes/types/index.ts';

const ROLE_PREFIX = nodeRoleLabel('');

/** The labels that selectors of pools are matched with. */
export function poolLabels(node: Node): ReadonlyMap<string, string> {
  const found = new Map(Object.entries(labelsOf(node)).map(([key, value]) => [key, roleValue(key, value)]));
  const hasRole = [...found.keys()].some((key) => key.startsWith(ROLE_PREFIX));
  if (!hasRole) found.set(labels.nodeRoleWorker, '');
  if (found.has(labels.nodeRoleControlPlane) && !found.has(labels.nodeRoleMaster)) {
    found.set(labels.nodeRoleMaster, '');
  }
  return found;
}

/** Of a label of a node, and of a selector. */
export function roleValue(key: string, value: string): string {
  return value === 'true' && key.startsWith(ROLE_PREFIX) ? '' : value;
}
