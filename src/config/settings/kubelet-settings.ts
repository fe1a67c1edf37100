/**
 * KubeletConfig: settings of the kubelet for the nodes of some pools, as MachineConfigs `99-<pool>-generated-kubelet`.
 *
 * A pool has one kubelet.conf, so of several objects the last one takes effect; the others get a warning. With the base
 * `none` each object has a drop-in of its own, which the kubelet merges in the order of their names.
 */
import { type KubeletConfig, kubeletConfig as kubeletConfigKind } from '../../api/index.ts';
import { invalid } from '../../base/errors.ts';
import { compareBytes } from '../../base/json.ts';
import type { Base } from '../render/index.ts';
import { baseFile } from './base-file.ts';
import { kubeletDropIn } from './kubelet-drop-in.ts';
import { KUBELET_CONF, kubeletFiles } from './kubelet-files.ts';
import { kubeletConfigProblems, staticPodProblem } from './kubelet-problems.ts';
import { overriddenKubeletConfig, overriddenKubeletFields } from './overridden-settings.ts';
import type { Rival, SettingsKind } from './settings-kind.ts';

export function kubeletSettings(base: Base): SettingsKind<KubeletConfig> {
  return base === 'none' ? DROP_INS : KUBELET;
}

const KUBELET: SettingsKind<KubeletConfig> = {
  resource: kubeletConfigKind,
  generatedKind: 'kubelet',
  problems: ({ spec }) => kubeletConfigProblems(spec),
  files({ object, pool, base }) {
    const problem = staticPodProblem(object.spec, pool);
    return problem === undefined
      ? kubeletFiles(object.spec, baseFile(base, KUBELET_CONF) ?? '')
      : invalid([problem]);
  },
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
