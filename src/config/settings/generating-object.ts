/**
 * The common part of KubeletConfig and ContainerRuntimeConfig: settings for the pools they select, from which one
 * MachineConfig per pool is generated.
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

/** By name. An empty selector selects no pool: it is far more often a mistake than meant for every node. */
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
