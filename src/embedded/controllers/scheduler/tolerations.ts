/**
 * Which taints a pod tolerates.
 */
import type { Node, Toleration } from '../../../kubernetes/types/index.ts';

export type Taint = NonNullable<Node['spec']['taints']>[number];
export type TaintEffect = Taint['effect'];

export function tolerates(toleration: Toleration, taint: Pick<Taint, 'key' | 'value' | 'effect'>): boolean {
  const { key = '', operator = 'Equal', value = '', effect } = toleration;
  if (effect !== undefined && effect !== taint.effect) return false;
  // An empty key matches every taint; validation requires the operator Exists then.
  if (key !== '' && key !== taint.key) return false;
  return operator === 'Exists' || value === (taint.value ?? '');
}

export function isTolerated(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some((toleration) => tolerates(toleration, taint));
}
