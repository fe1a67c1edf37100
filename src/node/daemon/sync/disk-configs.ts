/**
 * Reports which MachineConfigs the disk refers to, so that none of them is pruned (`rollout/pruning`): the stored one, both of an
 * update in progress, and those that the machine was installed with while it joins.
 *
 * A deployment that is not booted has files of its own, and among them the whole config: it needs none from the cluster.
 */
import { annotations } from '../../../api/index.ts';
import { annotationOf } from '../../../kubernetes/meta/index.ts';
import type { Node } from '../../../kubernetes/types/index.ts';
import { formatDiskConfigs } from '../../../rollout/index.ts';
import type { HostContext } from '../context.ts';
import type { Observation } from '../observe.ts';
import { readInitialAnnotations } from '../read-state.ts';

/** The annotation where it has to change; none otherwise. */
export async function diskConfigsAnnotation(
  { host }: HostContext,
  node: Node,
  { disk, bootId }: Observation,
): Promise<{ readonly [key: string]: string }> {
  const { stored, journal, isJoining, damage } = disk;
  const isReadable = isJoining && damage?.initialAnnotations === undefined;
  const initial = isReadable ? await readInitialAnnotations(host) : undefined;
  const configs = [
    stored?.config,
    journal?.from.config,
    journal?.to.config,
    initial?.[annotations.currentConfig],
    initial?.[annotations.desiredConfig],
  ];
  const text = formatDiskConfigs(node, { bootId, configs: configs.map((name) => name ?? '') });
  return annotationOf(node, annotations.diskConfigs) === text ? {} : { [annotations.diskConfigs]: text };
}
