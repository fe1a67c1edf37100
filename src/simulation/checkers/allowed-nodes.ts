/**
 * How many nodes of a pool may be out of service at once, computed anew: the product's own function is what is checked.
 */
import { at, type Json } from './observed-state.ts';

/** `size`: how many nodes it has. */
export function allowedNodes(pool: string, object: Json, size: number): number {
  const setting = at(object, 'spec', 'maxUnavailable');
  const asked =
    typeof setting === 'string' && setting.endsWith('%')
      ? Math.floor((size * Number(setting.slice(0, -1))) / 100)
      : Number(setting ?? 1);
  const count = Math.max(1, asked);
  return pool === 'master' ? Math.max(1, Math.min(count, Math.floor((size - 1) / 2))) : count;
}
