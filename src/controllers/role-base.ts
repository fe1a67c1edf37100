/**
 * The base MachineConfigs of a role, for those who lay settings over their files. They are filled from the templates again
 * rather than read from the cluster: somebody may be changing them there at this very moment.
 */
import type { ControllerConfig, MachineConfig } from '../api/index.ts';
import { baseConfigs, type TemplateTree } from '../config/render/index.ts';
import { baseRole } from '../config/settings/index.ts';

/** Undefined where there are none for the role, or the ControllerConfig does not allow any. */
export type RoleBase = (
  controllerConfig: ControllerConfig,
  pool: string,
) => readonly MachineConfig[] | undefined;

/** What was filled last is kept: the same ControllerConfig is asked about for every object and pool. */
export function rememberRoleBase(templates: TemplateTree): RoleBase {
  let spec: ControllerConfig['spec'] | undefined;
  let filled = new Map<string, readonly MachineConfig[] | undefined>();
  return (controllerConfig, pool) => {
    if (spec !== controllerConfig.spec) {
      spec = controllerConfig.spec;
      filled = new Map();
    }
    const role = baseRole(pool);
    if (!filled.has(role)) {
      const outcome = baseConfigs(templates, {
        controllerConfig: spec,
        controllerVersion: '',
        roles: [role],
      });
      filled.set(role, outcome.kind === 'ok' ? outcome.value : undefined);
    }
    return filled.get(role);
  };
}
