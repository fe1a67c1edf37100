/**
 * The files of the base MachineConfigs that are rewritten here.
 */
import type { MachineConfig } from '../../api/index.ts';
import { fileContents, type IgnitionConfig, parseIgnition } from '../ignition/index.ts';
import { POLICY_PATH, REGISTRIES_CONF_PATH } from './paths.ts';
import { parseRegistriesConf } from './registries-conf.ts';

export type BaseFiles = {
  /** The search registries. */
  readonly search: readonly string[];
  readonly policy: string;
};

/** What Kubernetes means by an image name without a host: without a base, short names have to work as before. */
const WITHOUT_BASE: BaseFiles = { search: ['docker.io'], policy: '' };

/** From the base MachineConfigs of one role; there may be none. */
export function readBaseFiles(machineConfigs: readonly MachineConfig[]): BaseFiles {
  if (machineConfigs.length === 0) return WITHOUT_BASE;
  const configs = machineConfigs.map(({ spec }) => configOf(spec?.config));
  const read = (path: string) =>
    configs.map((config) => fileText(config, path)).find((text) => text !== undefined);
  const conf = parseRegistriesConf(read(REGISTRIES_CONF_PATH) ?? '');
  return {
    search: (conf.kind === 'ok' && conf.value.search) || [],
    policy: read(POLICY_PATH) ?? '',
  };
}

/** Undefined where the file is missing or unreadable. */
export function configOf(config: unknown): IgnitionConfig | undefined {
  const parsed = config === undefined || config === null ? undefined : parseIgnition(config);
  return parsed?.kind === 'ok' ? parsed.value : undefined;
}

export function fileText(config: IgnitionConfig | undefined, path: string): string | undefined {
  const file = config?.storage?.files?.find((one) => one.path === path);
  const bytes = file === undefined ? undefined : fileContents(file.contents);
  return bytes?.kind === 'ok' ? new TextDecoder().decode(bytes.value) : undefined;
}
