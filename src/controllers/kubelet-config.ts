/**
 * KubeletConfig: settings of the kubelet for the nodes of some pools, as MachineConfigs `99-<pool>-generated-kubelet`.
 *
 * A pool has one kubelet.conf, so of several objects the last one counts; the others are told so.
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
import { createGeneratingController, type Generating, type Rival } from './generating.ts';
import type { RoleBase } from './role-base.ts';

export function createKubeletConfigController(context: Context, baseOf: RoleBase): Controller {
  return createGeneratingController(context, KUBELET, baseOf);
}

const KUBELET: Generating<KubeletConfig> = {
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

/** Of each pool the one whose kubelet.conf its nodes have. */
function lastOfEach<T>(rivals: readonly Rival<T>[]): readonly Rival<T>[] {
  const last = new Map<string, Rival<T>>();
  for (const rival of rivals) {
    if (rival.suffix > (last.get(rival.pool)?.suffix ?? -1)) last.set(rival.pool, rival);
  }
  return [...last.values()];
}
