/**
 * How the controllers of a cluster generate MachineConfigs, as far as its objects show it: with which base, and in which version.
 */
import { annotations, type ControllerConfig, type MachineConfig } from '../../api/index.ts';
import type { Base, TemplateTree } from '../render/index.ts';
import { baseRole, memoisedRoleBase } from '../settings/index.ts';

type Generation = {
  readonly base: Base;
  /** The base MachineConfigs of a pool; undefined where they cannot be generated. */
  readonly baseOf: (pool: string) => readonly MachineConfig[] | undefined;
  readonly controllerVersion: string;
};

type GenerationSources = {
  readonly controllerConfig: ControllerConfig | undefined;
  readonly templates: TemplateTree;
  /** Where nothing is generated yet. */
  readonly version: string;
};

export function generationOf(
  machineConfigs: readonly MachineConfig[],
  { controllerConfig, templates, version }: GenerationSources,
): Generation {
  const base = machineConfigs.some(isBaseConfig) ? 'coreos' : 'none';
  const ofTemplates = memoisedRoleBase(base, templates);
  return {
    base,
    baseOf: (pool) =>
      controllerConfig === undefined ? baseIn(machineConfigs, pool) : ofTemplates(controllerConfig, pool),
    controllerVersion: versionIn(machineConfigs) ?? version,
  };
}

/** By what the template controller names them. */
function isBaseConfig({ metadata }: MachineConfig): boolean {
  return (
    /^0[01]-/.test(metadata.name) && annotations.generatedByControllerVersion in (metadata.annotations ?? {})
  );
}

/** The base configs of a pool's role, of manifests that have them themselves. */
function baseIn(machineConfigs: readonly MachineConfig[], pool: string): readonly MachineConfig[] {
  const role = baseRole(pool);
  const prefixes = [`00-${role}`, `01-${role}-`];
  return machineConfigs.filter(
    (one) => isBaseConfig(one) && prefixes.some((prefix) => one.metadata.name.startsWith(prefix)),
  );
}

/** In a cluster, all generated configs have the same. */
function versionIn(machineConfigs: readonly MachineConfig[]): string | undefined {
  return machineConfigs
    .map(({ metadata }) => metadata.annotations?.[annotations.generatedByControllerVersion])
    .find((version) => version !== undefined);
}
