/**
 * The kinds of faults that can be chosen.
 */

/** Of every cluster. Their order is part of what a seed means. */
export const CLUSTER_FAULTS = [
  'crash',
  'clock',
  'network',
  'power',
  'disk',
  'boot',
  'registry',
  'people',
] as const;
export type ClusterFault = (typeof CLUSTER_FAULTS)[number];

/** `builds`: of pools that build their OS images, which not every scenario has. */
export const FAULT_FAMILIES = [...CLUSTER_FAULTS, 'builds'] as const;
export type FaultFamily = (typeof FAULT_FAMILIES)[number];
