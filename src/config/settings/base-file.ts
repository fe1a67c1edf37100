/**
 * The files of a role's base MachineConfigs that settings are merged into.
 */
import type { MachineConfig } from '../../api/index.ts';
import { fileContents, parseIgnition } from '../ignition/index.ts';

/** The role whose base MachineConfigs a pool has: custom pools inherit from worker. */
export function baseRole(pool: string): string {
  return BASE_ROLES.has(pool) ? pool : 'worker';
}

const BASE_ROLES: ReadonlySet<string> = new Set(['master', 'worker', 'arbiter']);

/** The content of the file; the last one wins, as on a node. Undefined where there is none. */
export function baseFile(machineConfigs: readonly MachineConfig[], path: string): string | undefined {
  let text: string | undefined;
  for (const { spec } of machineConfigs) {
    const config = parseIgnition(spec?.config);
    if (config.kind === 'invalid') continue;
    const file = config.value.storage?.files?.find((one) => one.path === path);
    const bytes = file === undefined ? undefined : fileContents(file.contents);
    if (bytes?.kind === 'ok') text = new TextDecoder().decode(bytes.value);
  }
  return text;
}
