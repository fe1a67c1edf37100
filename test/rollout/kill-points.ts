/** What is asked of a cluster whose controllers were killed in the middle of a rollout, and started anew. */
import {
  annotations,
  machineConfig,
  machineConfigNode as machineConfigNodeKind,
  taints,
} from '../../src/api/index.ts';
import type { Env } from '../../src/base/env.ts';
import { pod as podKind } from '../../src/kubernetes/types/index.ts';
import { type World as AnyWorld, isPoolUpdated } from './build-world.ts';
import { NAMESPACE } from './story-steps.ts';

/** In whatever time. */
type World = AnyWorld<Env>;

/** All pools have a configuration with this text in it, and all of their nodes have that. */
export async function isRolledOut(world: World, text: string): Promise<boolean> {
  for (const pool of await world.pools()) {
    if (!isPoolUpdated(pool)) return false;
    const rendered = await world.kube.get(machineConfig, { name: pool.spec.configuration?.name ?? '' });
    if (!JSON.stringify(rendered?.spec).includes(encodeURIComponent(text))) return false;
  }
  return true;
}

export async function renderedCount({ kube }: World, prefix = 'rendered-'): Promise<number> {
  const { items } = await kube.list(machineConfig);
  return items.filter(({ metadata }) => metadata.name.startsWith(prefix)).length;
}

/** What is left of a rollout on any node, and where what is said of nodes does not agree. */
export async function leftovers(world: World): Promise<readonly string[]> {
  const { items: pods } = await world.kube.list(podKind, { namespace: NAMESPACE });
  const { items: records } = await world.kube.list(machineConfigNodeKind);
  const left = pods.map(({ metadata }) => `pod ${metadata.name}`);
  for (const { metadata, spec } of await world.nodes()) {
    const { name, annotations: said = {} } = metadata;
    const config = said[annotations.desiredConfig];
    const tell = (is: boolean, what: string) => is && left.push(`${name}: ${what}`);
    tell(spec.unschedulable === true, 'it is cordoned');
    tell(
      (spec.taints ?? []).some(({ key }) => key === taints.updateInProgress.key),
      'it is tainted',
    );
    tell(said[annotations.currentConfig] !== config, 'it has not what it is to have');
    tell(said[annotations.drain] !== undefined, `its drain is noted: ${said[annotations.drain]}`);
    const record = records.find((one) => one.metadata.name === name)?.spec;
    tell(record?.configVersion.desired !== config, 'its MachineConfigNode wants something else');
    tell(record?.pool.name !== name.replace(/-\d+$/, ''), 'its MachineConfigNode has another pool');
  }
  return left;
}
