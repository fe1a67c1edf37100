/**
 * The suffixes that tell apart the MachineConfigs that several objects of one kind generate for the same pool.
 *
 *     99-worker-generated-kubelet     from the first
 *     99-worker-generated-kubelet-1   from the second, and so on up to 9
 *
 * MachineConfigs are merged in order of their names, so a newer object must get the higher suffix; ten is the limit
 * because `-10` would sort before `-2`. An object keeps its suffix for life, in an annotation.
 */
import { annotations } from '../../api/index.ts';
import { compareBytes } from '../../base/json.ts';
import type { ObjectMeta } from '../../kubernetes/meta/index.ts';

export const MAX_SUFFIX = 9;

/**
 * The suffix of the object, 0 for none; undefined where all ten are taken. `rivals` are the other objects of its kind
 * that select one of its pools.
 *
 * Objects without a suffix are assigned theirs here in order of creation, so the result does not depend on which
 * object is reconciled first.
 */
export function nameSuffix(object: ObjectMeta, rivals: readonly ObjectMeta[]): number | undefined {
  const all = [object, ...rivals].sort(byAge);
  const numbers = new Map<ObjectMeta, number>();
  for (const one of all) {
    const stated = recordedSuffix(one);
    // A copied object carries the annotation of the original: the older one keeps the suffix.
    if (stated !== undefined && ![...numbers.values()].includes(stated)) numbers.set(one, stated);
  }
  for (const [index, one] of all.entries()) {
    if (!numbers.has(one)) numbers.set(one, nextNumber(numbers, all, index));
    if (one === object) break;
  }
  const suffix = numbers.get(object) ?? 0;
  return suffix > MAX_SUFFIX ? undefined : suffix;
}

/** The next suffix in order of creation if it is free, otherwise the one after the highest. */
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
 * The suffix in the annotation or, if that was removed, in the finalizers. Undefined where neither is there or the
 * value is not one of ours.
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

/** As in the annotation and in names. */
export function suffixText(suffix: number): string {
  return suffix === 0 ? '' : String(suffix);
}

export type GeneratedKind = 'kubelet' | 'containerruntime';

/** `99-worker-generated-kubelet-2` */
export function configName(kind: GeneratedKind, pool: string, suffix: number): string {
  return `99-${pool}-generated-${kind}${suffix === 0 ? '' : `-${suffix}`}`;
}

/** Whether the name could come from `configName`, which also marks the finalizers that are ours. */
export function isConfigName(kind: GeneratedKind, name: string): boolean {
  return CONFIG_NAME.exec(name)?.[2] === kind;
}

/** Objects created in the same second are ordered by name. */
function byAge(a: ObjectMeta, b: ObjectMeta): number {
  return compareBytes(a.creationTimestamp ?? '', b.creationTimestamp ?? '') || compareBytes(a.name, b.name);
}
