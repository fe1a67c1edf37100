/**
 * The numbers by which the MachineConfigs of one pool are told apart that come from several objects of a kind.
 *
 *     99-worker-generated-kubelet     from the first
 *     99-worker-generated-kubelet-1   from the second, and so on up to 9
 *
 * The later name wins, so a newer object must have the higher number, and ten is the end: `-10` would come before `-2`. An
 * object keeps its number for life, in an annotation.
 */
import { annotations } from '../../api/index.ts';
import { compareBytes } from '../../base/json.ts';
import type { ObjectMeta } from '../../kubernetes/meta/index.ts';

export const MAX_SUFFIX = 9;

/**
 * The number of the object, 0 for none; undefined where ten are there already. `rivals` are the other objects of its kind
 * that select one of its pools.
 *
 * Those that have no number yet are given theirs in thought, the oldest first: so it does not matter who is looked at first.
 */
export function nameSuffix(object: ObjectMeta, rivals: readonly ObjectMeta[]): number | undefined {
  const all = [object, ...rivals].sort(byAge);
  const numbers = new Map<ObjectMeta, number>();
  for (const one of all) {
    const stated = recordedSuffix(one);
    // Whoever copies an object copies its annotation too: the number stays with the older one.
    if (stated !== undefined && ![...numbers.values()].includes(stated)) numbers.set(one, stated);
  }
  for (const [index, one] of all.entries()) {
    if (!numbers.has(one)) numbers.set(one, nextNumber(numbers, all, index));
    if (one === object) break;
  }
  const suffix = numbers.get(object) ?? 0;
  return suffix > MAX_SUFFIX ? undefined : suffix;
}

/** In its turn where that is free, otherwise behind all. */
function nextNumber(
  numbers: ReadonlyMap<ObjectMeta, number>,
  all: readonly ObjectMeta[],
  index: number,
): number {
  const of = (list: readonly ObjectMeta[]) => list.flatMap((one) => numbers.get(one) ?? []);
  const inTurn = Math.max(-1, ...of(all.slice(0, index))) + 1;
  const isFree = of(all.slice(index)).every((number) => inTurn < number);
  return isFree ? inTurn : Math.max(...numbers.values()) + 1;
}

/**
 * What its annotation says or, where somebody has taken that away, its finalizers. Undefined where it has neither, or one
 * that nobody of ours has written.
 */
export function recordedSuffix({ annotations: given, finalizers = [] }: ObjectMeta): number | undefined {
  const text = given?.[annotations.mcNameSuffix];
  if (text !== undefined && /^[1-9]?$/.test(text)) return Number(text);
  const numbers = finalizers.flatMap((name) => {
    const parts = CONFIG_NAME.exec(name);
    return parts === null ? [] : [Number(parts[3] ?? '')];
  });
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}

const CONFIG_NAME = /^99-(.+)-generated-(kubelet|containerruntime)(?:-([1-9]))?$/;

/** As the annotation and the names have it. */
export function suffixText(suffix: number): string {
  return suffix === 0 ? '' : String(suffix);
}

export type GeneratedKind = 'kubelet' | 'containerruntime';

/** `99-worker-generated-kubelet-2` */
export function configName(kind: GeneratedKind, pool: string, suffix: number): string {
  return `99-${pool}-generated-${kind}${suffix === 0 ? '' : `-${suffix}`}`;
}

/** Whether the name is one that `configName` gives: such are the finalizers that are ours. */
export function isConfigName(kind: GeneratedKind, name: string): boolean {
  return CONFIG_NAME.exec(name)?.[2] === kind;
}

/** Of two that were made in the same second the name decides. */
function byAge(a: ObjectMeta, b: ObjectMeta): number {
  return compareBytes(a.creationTimestamp ?? '', b.creationTimestamp ?? '') || compareBytes(a.name, b.name);
}
