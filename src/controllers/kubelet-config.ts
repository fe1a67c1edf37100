/** The controller of KubeletConfigs: see `kubeletSettings` for what it generates. */
import { kubeletConfig as kubeletConfigKind } from '../api/index.ts';
import { kubeletConfigStatus, kubeletSettings, type RoleBase } from '../config/settings/index.ts';
import type { Controller } from '../kubernetes/client/index.ts';
import type { Context } from './context.ts';
import { createSettingsController } from './settings-controller.ts';

export function createKubeletConfigController(context: Context, baseOf: RoleBase): Controller {
  return createSettingsController(context, baseOf, {
    ...kubeletSettings(context.settings.base),
    name: 'kubelet-config',
    component: 'machineconfigcontroller-kubeletconfigcontroller',
    resource: kubeletConfigKind,
    statusOf: kubeletConfigStatus,
  });
}
