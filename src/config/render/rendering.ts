/**
 * The inputs and the result of a rendering.
 */
import type { MachineConfig, MachineConfigPool } from '../../api/index.ts';
import type { ObjectReference } from '../../kubernetes/meta/index.ts';
import type { AllowedChanges, SourceProblem } from '../content/index.ts';
import type { Origin } from './origins.ts';

export type RenderInput = {
  readonly pool: MachineConfigPool;
  /** All MachineConfigs, in any order; the pool's selector decides which ones are used. */
  readonly machineConfigs: readonly MachineConfig[];
  readonly settings: RenderSettings;
  /** Without base configs a pool may have no MachineConfigs at all: its nodes stay as they are. */
  readonly mayBeEmpty?: boolean;
  /** The pool's current rendered MachineConfig. If given, running nodes must be able to update from it. */
  readonly current?: MachineConfig;
};

/** The cluster settings that a rendering depends on besides MachineConfigs. */
export type RenderSettings = {
  /** The OS image of pools whose MachineConfigs set none. */
  readonly osImageURL: string;
  /** The matching extensions image. */
  readonly baseOSExtensionsContainerImage: string;
  /**
   * The rendering version. It is recorded on the result, and generated sources of another version are rejected: after
   * an upgrade nothing may be rendered from what the old version generated. Absent offline: no such check.
   */
  readonly controllerVersion?: string;
  readonly releaseVersion?: string;
  /** Changes that are allowed although running nodes cannot follow them; new nodes get them. */
  readonly allowIrreconcilable?: AllowedChanges;
};

export type Rendering =
  | {
      readonly kind: 'rendered';
      readonly machineConfig: RenderedMachineConfig;
      /** The sources in merge order; later ones win. */
      readonly sources: readonly ObjectReference[];
      /** For each file, unit, argument and setting: which source won, and which ones it overrode. */
      readonly origins: readonly Origin[];
      /** Whether a source overrides the OS image of the cluster, and which that is. */
      readonly isImageOverridden: boolean;
      readonly defaultOsImage: string;
      readonly sizeBytes: number;
      readonly warnings: readonly SourceProblem[];
    }
  /** The input is invalid; `message` is the text of the condition, `problems` is the complete list. */
  | {
      readonly kind: 'refused';
      readonly message: string;
      readonly problems: readonly SourceProblem[];
    }
  /** The pool has an empty selector, which selects everything: nothing is rendered, and the user is warned. */
  | { readonly kind: 'ignored'; readonly reason: 'SelectingAll'; readonly message: string };

export type RenderedMachineConfig = MachineConfig & { readonly spec: NonNullable<MachineConfig['spec']> };
