/**
 * KubeletConfig: settings of the kubelet for the nodes of some pools, as MachineConfigs `99-<pool>-generated-kubelet`.
 *
 * A pool has one kubelet.conf, so of several objects the last one takes effect; the others get a warning. With the base
 * `none` each object has a drop-in of its own, which the kubelet merges in the order of their names.
 */
import { type KubeletConfig, kubeletConfig as kubeletConfigKind } from '../api/index.ts';
import { invalid } from '../base/errors.ts';
import { compareBytes } from '../base/json.ts';
import {
  baseFile,
  KUBELET_CONF,
  kubeletConfigProblems,
  kubeletConfigStatus,
  kubeletDropIn,
  kubeletFiles,
  overriddenKubeletConfig,
  overriddenKubeletFields,
  staticPodProblem,
} from '../config/settings/index.ts';
import type { Controller } from '../kubernetes/client/index.ts';
import type { Context } from './context.ts';
import type { RoleBase } from './role-base.ts';
import { createSettingsController, type Rival, type SettingsKind } from './settings-controller.ts';

export function createKubeletConfigController(context: Context, baseOf: RoleBase): Controller {
  return createSettingsController(context, context.settings.base === 'none' ? DROP_INS : KUBELET, baseOf);
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
      lastOfEach(rivals.filter(({ isLater }) => isLater)).map(({ pool, object }) => ({
        ...{ pool, winner: object.metadata.name },
      })),
    ),
};

const DROP_INS: SettingsKind<KubeletConfig> = {
  ...KUBELET,
  files({ object, pool }) {
    const problem = staticPodProblem(object.spec, pool);
    return problem === undefined ? kubeletDropIn(object) : invalid([problem]);
  },
  // By name, as the kubelet orders the files; the number of the MachineConfig does not matter.
  overshadowed: ({ metadata, spec }, rivals) =>
    overriddenKubeletFields(
      rivals
        .filter(({ object }) => compareBytes(object.metadata.name, metadata.name) > 0)
        .map(({ pool, object }) => ({
          ...{ pool, winner: object.metadata.name },
          ...{ own: spec.kubeletConfig ?? {}, others: object.spec.kubeletConfig ?? {} },
        })),
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
