/**
 * The base MachineConfigs of a role, with whose files settings are merged. They are computed from the templates rather than
 * read from the cluster, where they may be modified or outdated. With the base `none` there are none.
 */
import type { ControllerConfig, MachineConfig } from '../../api/index.ts';
import { type Base, baseConfigs, type TemplateTree } from '../render/index.ts';
import { baseRole } from './base-file.ts';

/** Undefined where the role has none, or the ControllerConfig is invalid. */
export type RoleBase = (
  controllerConfig: ControllerConfig,
  pool: string,
) => readonly MachineConfig[] | undefined;

/** Memoised by ControllerConfig: every object and pool needs them. */
export function memoisedRoleBase(base: Base, templates: TemplateTree): RoleBase {
  if (base === 'none') return () => [];
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
