/**
 * What differs between the two kinds of settings, KubeletConfig and ContainerRuntimeConfig: `decideSettings` has what they share.
 */
import type { MachineConfig, MachineConfigPool } from '../../api/index.ts';
import type { Outcome, Problem } from '../../base/errors.ts';
import type { AnyKind } from '../../kubernetes/meta/index.ts';
import type { GeneratedFile } from './generated-config.ts';
import type { GeneratingObject } from './generating-object.ts';
import type { GeneratedKind } from './name-suffix.ts';

export type SettingsKind<T extends GeneratingObject> = {
  readonly resource: Pick<AnyKind, 'group' | 'version' | 'kind'>;
  readonly generatedKind: GeneratedKind;
  readonly problems: (object: T) => readonly Problem[];
  /** The files of the object for one pool. */
  readonly files: (input: FilesInput<T>) => Outcome<readonly GeneratedFile[]>;
  readonly noPool: (name: string) => string;
  readonly tooMany: string;
  /** The settings that have no effect because others of the kind take precedence. */
  readonly overshadowed: (object: T, rivals: readonly Rival<T>[]) => readonly string[];
  /** The settings that have no effect on nodes of its pools that run containerd. */
  readonly withoutEffectOnContainerd?: (object: T) => readonly string[];
};

type FilesInput<T> = {
  readonly object: T;
  readonly suffix: number;
  readonly pool: MachineConfigPool;
  readonly base: readonly MachineConfig[];
  /** Others of its kind that select the pool. */
  readonly rivals: readonly T[];
};

/** Another object of the same kind in a pool. */
export type Rival<T> = {
  readonly pool: string;
  readonly object: T;
  readonly suffix: number;
  /** Its MachineConfig is merged later, and so takes precedence. */
  readonly isLater: boolean;
};
