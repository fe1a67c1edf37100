/**
 * What KubeletConfig and ContainerRuntimeConfig have in common: settings for the pools that they select, which become
 * one MachineConfig for each of these pools.
 */

import type { MachineConfigPool } from '../../api/index.ts';
import { compareBytes } from '../../base/json.ts';
import {
  isEmptySelector,
  type LabelSelector,
  type LegacyCondition,
  matchesSelector,
  type ObjectMeta,
} from '../../kubernetes/meta/index.ts';

export type GeneratingObject = {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly machineConfigPoolSelector?: LabelSelector };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly LegacyCondition[];
  };
};

/** By name. A selector that demands nothing is a mistake far more often than it means every node: it selects none. */
export function selectedPools<Pool extends Pick<MachineConfigPool, 'metadata'>>(
  { spec }: Pick<GeneratingObject, 'spec'>,
  pools: Iterable<Pool>,
): readonly Pool[] {
  const selector = spec.machineConfigPoolSelector;
  if (isEmptySelector(selector)) return [];
  return [...pools]
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .filter(({ metadata }) => matchesSelector(selector, metadata.labels))
    .sort((a, b) => compareBytes(a.metadata.name, b.metadata.name));
}

/** Whether somebody has said by now what becomes of the spec as it is. */
export function isSynced({ metadata, status }: GeneratingObject): boolean {
  return status?.observedGeneration === metadata.generation && (status?.conditions ?? []).length > 0;
}
