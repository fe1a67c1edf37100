/** Checks of a cluster whose controllers were killed during a rollout and restarted. */
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

/** In real or virtual time. */
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

/** What a rollout left behind on any node, and where Node and MachineConfigNode disagree. */
export async function leftovers(world: World): Promise<readonly string[]> {
  const { items: pods } = await world.kube.list(podKind, { namespace: NAMESPACE });
  const { items: records } = await world.kube.list(machineConfigNodeKind);
  const left = pods.map(({ metadata }) => `pod ${metadata.name}`);
  for (const { metadata, spec } of await world.nodes()) {
    const { name, annotations: values = {} } = metadata;
    const config = values[annotations.desiredConfig];
    const check = (is: boolean, what: string) => is && left.push(`${name}: ${what}`);
    check(spec.unschedulable === true, 'it is cordoned');
    check(
      (spec.taints ?? []).some(({ key }) => key === taints.updateInProgress.key),
      'it is tainted',
    );
    check(values[annotations.currentConfig] !== config, 'its current config is not the desired one');
    check(values[annotations.drain] !== undefined, `it has a drain record: ${values[annotations.drain]}`);
    const record = records.find((one) => one.metadata.name === name)?.spec;
    check(record?.configVersion.desired !== config, 'its MachineConfigNode has another desired config');
    check(record?.pool.name !== name.replace(/-\d+$/, ''), 'its MachineConfigNode has another pool');
  }
  return left;
}
