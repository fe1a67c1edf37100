/**
 * The origin of each part of a rendered config.
 */
import type { Contribution, ContributionKind } from '../ignition/index.ts';

export type OriginKind = ContributionKind | 'kernelArgument' | 'extension' | 'setting';

/**
 * The source of one part: a file, a unit, an argument, or a field of the spec (`kernelType`). The source is the name
 * of a MachineConfig, or `''` for the cluster's default.
 */
export type Origin = Omit<Contribution, 'kind'> & { readonly kind: OriginKind };
