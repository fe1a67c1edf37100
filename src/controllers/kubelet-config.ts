/**
 * KubeletConfig: settings of the kubelet for the nodes of some pools, as MachineConfigs `99-<pool>-generated-kubelet`.
 *
 * A pool has one kubelet.conf, so of several objects the last one takes effect; the others get a warning.
 */
import { type KubeletConfig, kubeletConfig as kubeletConfigKind } from '../api/index.ts';
import { invalid } from '../base/errors.ts';
import {
  baseFile,
  KUBELET_CONF,
  kubeletConfigProblems,
  kubeletConfigStatus,
  kubeletFiles,
  overriddenKubeletConfig,
  staticPodProblem,
} from '../config/settings/index.ts';
import type { Controller } from '../kubernetes/client/index.ts';
import type { Context } from './context.ts';
import type { RoleBase } from './role-base.ts';
import { createSettingsController, type Rival, type SettingsKind } from './settings-controller.ts';

export function createKubeletConfigController(context: Context, baseOf: RoleBase): Controller {
  return createSettingsController(context, KUBELET, baseOf);
}

const KUBELET: SettingsKind<KubeletConfig> = {
  name: 'kubelet-config',
  component: 'machineconfigcontroller-kubeletconfigcontroller',
  resource: kubeletConfigKind,
  generatedKind: 'kubelet',
  problems: ({ spec }) => kubeletConfigProblems(spec),
  files({ object, pool, base }) {
    const problem = staticPodProblem(object.spec, pool);
    return problem === undefined
      ? kubeletFiles(object.spec, baseFile(base, KUBELET_CONF) ?? '')
      : invalid([problem]);
  },
  statusOf: kubeletConfigStatus,
  noPool: () => 'could not find any MachineConfigPool set for KubeletConfig',
  tooMany:
    'could not get kubelet config key: max number of supported kubelet config (10) has been reached. Please delete old kubelet configs before retrying',
  overshadowed: (_, rivals) =>
    overriddenKubeletConfig(
      lastOfEach(rivals).map(({ pool, object }) => ({ pool, winner: object.metadata.name })),
    ),
};

/** For each pool the object whose kubelet.conf takes effect. */
function lastOfEach<T>(rivals: readonly Rival<T>[]): readonly Rival<T>[] {
  const last = new Map<string, Rival<T>>();
  for (const rival of rivals) {
    if (rival.suffix > (last.get(rival.pool)?.suffix ?? -1)) last.set(rival.pool, rival);
  }
  return [...last.values()];
}
