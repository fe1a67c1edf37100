/**
 * What goes into a rendering and what comes out of it.
 */
import type { MachineConfig, MachineConfigPool } from '../../api/index.ts';
import type { ObjectReference } from '../../kubernetes/meta/index.ts';
import type { AllowedChanges, SourceProblem } from '../content/index.ts';
import type { Origin } from './origins.ts';

export type RenderInput = {
  readonly pool: MachineConfigPool;
  /** Every MachineConfig there is, in any order; the pool's selector decides which ones count. */
  readonly machineConfigs: readonly MachineConfig[];
  readonly settings: RenderSettings;
  /** The rendered MachineConfig that the pool targets now. Given, the new one must be reachable from it. */
  readonly current?: MachineConfig;
};

/** What a rendering needs to know of the cluster besides its MachineConfigs. */
export type RenderSettings = {
  /** The OS image of nodes whose MachineConfigs name none. */
  readonly osImageURL: string;
  /** The extensions image that goes with it. */
  readonly baseOSExtensionsContainerImage: string;
  /**
   * Who renders. It is written on the result, and a generated source of another version is refused: after
   * an upgrade nothing may be rendered from what the old version generated. Absent offline: no such check.
   */
  readonly controllerVersion?: string;
  readonly releaseVersion?: string;
  /** Changes that are let through although running nodes cannot follow them; new nodes will have them. */
  readonly allowIrreconcilable?: AllowedChanges;
};

export type Rendering =
  | {
      readonly kind: 'rendered';
      readonly machineConfig: RenderedMachineConfig;
      /** The sources in the order in which they were merged; later ones win. */
      readonly sources: readonly ObjectReference[];
      /** For each file, unit, argument and setting: which source won, and which ones it overrode. */
      readonly origins: readonly Origin[];
      /** Whether a source replaced the OS image of the settings. */
      readonly isImageOverridden: boolean;
      readonly sizeBytes: number;
      readonly warnings: readonly SourceProblem[];
    }
  /** The input is wrong; `message` is the one line for a condition, `problems` is all of it. */
  | {
      readonly kind: 'refused';
      readonly message: string;
      readonly problems: readonly SourceProblem[];
    }
  /** The pool selects everything by an empty selector: nothing is rendered, and the user is told. */
  | { readonly kind: 'ignored'; readonly reason: 'SelectingAll'; readonly message: string };

export type RenderedMachineConfig = MachineConfig & { readonly spec: NonNullable<MachineConfig['spec']> };
