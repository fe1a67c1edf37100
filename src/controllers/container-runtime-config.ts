/** The controller of ContainerRuntimeConfigs: see `containerRuntimeSettings` for what it generates. */
import { containerRuntimeConfig as containerRuntimeConfigKind } from '../api/index.ts';
import {
  containerRuntimeConfigStatus,
  containerRuntimeSettings,
  type RoleBase,
} from '../config/settings/index.ts';
import type { Controller } from '../kubernetes/client/index.ts';
import type { Context } from './context.ts';
import { createSettingsController } from './settings-controller.ts';

export function createContainerRuntimeConfigController(context: Context, baseOf: RoleBase): Controller {
  return createSettingsController(context, baseOf, {
    ...containerRuntimeSettings,
    name: 'container-runtime-config',
    component: 'machineconfigcontroller-containerruntimeconfigcontroller',
    resource: containerRuntimeConfigKind,
    statusOf: containerRuntimeConfigStatus,
  });
}
