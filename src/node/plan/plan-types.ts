/**
 * The types of an update plan: configs, their difference, and steps.
 */
import type { MachineConfig } from '../../api/index.ts';
import type { IgnitionConfig } from '../../config/ignition/index.ts';

/** A config by name, with the image of image mode; empty where there is none. */
export type ConfigName = { readonly config: string; readonly image: string };

/** A rendered MachineConfig as a node reads it, together with the image of image mode that goes with it. */
export type NodeConfig = {
  readonly name: string;
  readonly machineConfig: MachineConfig;
  /** Translated to version 3.5. */
  readonly ignition: IgnitionConfig;
  /** What the node should boot: the image of image mode, else the config's OS image, else ''. */
  readonly osImage: string;
  /** The image of image mode; absent otherwise. */
  readonly layeredImage?: string;
  readonly extensionsImage: string;
  readonly kernelArguments: readonly string[];
  readonly kernelType: string;
  readonly extensions: readonly string[];
  readonly isFips: boolean;
};

/** What differs between two configs. */
export type ConfigChange = {
  readonly osImage: boolean;
  readonly kernelArguments: boolean;
  readonly fips: boolean;
  /** Users, groups, their keys or their passwords. */
  readonly passwd: boolean;
  /** Absent in journals of older daemons. */
  readonly sshKeys?: boolean;
  readonly files: boolean;
  readonly units: boolean;
  readonly kernelType: boolean;
  readonly extensions: boolean;
  /** Image mode is involved, before or after. */
  readonly isLayered: boolean;
  readonly leavesImageMode: boolean;
  /** Paths of added, changed or removed files, sorted. */
  readonly changedFiles: readonly string[];
  readonly changedUnits: readonly string[];
};

/** An action of a node disruption policy. */
export type PostAction =
  | { readonly type: 'Reboot' | 'Drain' | 'DaemonReload' | 'None' | 'Special' }
  | { readonly type: 'Reload' | 'Restart'; readonly service: string };

/**
 * One step of an update, as data: it can be printed and journalled. Each can be repeated, and each has an undo that can be
 * repeated too and does nothing where the step never began.
 */
export type Step =
  /** Downloads the OS image while the node still serves. Its undo keeps it: the next attempt may need it. */
  | { readonly kind: 'fetch'; readonly image: string }
  /** Requests a drain and waits for it. It has no undo: the end of every update requests to be uncordoned. */
  | { readonly kind: 'drain' }
  /** Writes all files and the changed units of the new config, then removes what only the old one had. */
  | { readonly kind: 'files'; readonly units: readonly string[] }
  | { readonly kind: 'ssh-keys' }
  | { readonly kind: 'passwords' }
  /** Stages the next deployment: image, kernel arguments, kernel type, extensions. */
  | { readonly kind: 'os'; readonly reasons: readonly string[] }
  /** Stores the new config as the current one. */
  | { readonly kind: 'store-config' }
  | { readonly kind: 'post-action'; readonly action: PostAction };

export type Plan = {
  /** Names of the configs. */
  readonly from: string;
  readonly to: string;
  readonly change: ConfigChange;
  readonly actions: readonly PostAction[];
  readonly needsDrain: boolean;
  readonly needsReboot: boolean;
  readonly steps: readonly Step[];
  /** Lines for the daemon's log, in order: the reasons for the actions and the drain. */
  readonly log: readonly string[];
};
