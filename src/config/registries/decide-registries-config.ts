/**
 * The MachineConfig `99-<pool>-generated-registries` of a built-in pool; custom pools inherit that of the worker pool.
 *
 * Where nodes have no base configs there is none until something is configured, and it goes with the last setting.
 */
import {
  annotations,
  labels,
  type MachineConfig,
  type MachineConfigPool,
  machineConfig as machineConfigKind,
} from '../../api/index.ts';
import { apiVersionOf } from '../../kubernetes/meta/index.ts';
import { encodeIgnition } from '../ignition/index.ts';
import type { BaseFiles } from './base-files.ts';
import { type Registries, registriesConfig, registriesConfigName } from './registries-config.ts';

type RegistriesDecision =
  | { readonly kind: 'config'; readonly config: MachineConfig }
  /** The existing one goes. */
  | { readonly kind: 'removed' }
  | { readonly kind: 'none' };

type RegistriesInput = {
  readonly pool: string;
  readonly base: BaseFiles;
  /** The present one. */
  readonly existing: MachineConfig | undefined;
  /** Whether there is none without a setting: with the base `none`. */
  readonly isOptional: boolean;
  readonly controllerVersion: string;
};

export function hasRegistriesConfig({ metadata }: MachineConfigPool): boolean {
  return metadata.labels?.[labels.mcoBuiltIn] === '';
}

export function decideRegistriesConfig(registries: Registries, input: RegistriesInput): RegistriesDecision {
  const { pool, base, existing, isOptional, controllerVersion } = input;
  const config = registriesConfig(registries, { base, last: existing });
  if (isOptional && (config.storage?.files ?? []).length === 0) {
    return existing !== undefined && isOurs(existing) ? { kind: 'removed' } : { kind: 'none' };
  }
  return {
    kind: 'config',
    config: {
      apiVersion: apiVersionOf(machineConfigKind),
      kind: machineConfigKind.kind,
      metadata: {
        name: registriesConfigName(pool),
        labels: { [labels.role]: pool },
        annotations: { [annotations.generatedByControllerVersion]: controllerVersion },
      },
      spec: { config: encodeIgnition(config) },
    },
  };
}

/** Every one that we write is marked. */
function isOurs({ metadata }: MachineConfig): boolean {
  return metadata.annotations?.[annotations.generatedByControllerVersion] !== undefined;
}
