/**
 * What is not as it is declared yet: of pools, nodes and machines, and of image builds.
 */
import { stringAt } from '../base/json-fields.ts';
import type { Checkers } from './checkers/checkers.ts';
import { annotation, at, condition, type Json, type ObservedState } from './checkers/observed-state.ts';
import type { SimulatedCluster } from './cluster/cluster.ts';

/** Empty where everything is as declared. */
export function whatIsLeft(cluster: SimulatedCluster, { state }: Checkers): string {
  const { machines, kubelets } = cluster;
  const left: string[] = [];
  for (const [name, pool] of state.pools) left.push(...leftOfPool(state, name, pool));
  for (const name of machines.keys()) if (!kubelets.isUp(name)) left.push(`machine ${name} is down`);
  if (state.pools.size < 2) left.push('there are no pools yet');
  if (cluster.isImageMode) left.push(...leftOfBuilds(cluster, state));
  return left.join('; ');
}

function leftOfPool(state: ObservedState, name: string, pool: Json): readonly string[] {
  const left: string[] = [];
  const members = state.members(name);
  const target = at(pool, 'spec', 'configuration', 'name');
  if (condition(pool, 'Updated')?.status !== 'True') left.push(`pool ${name} is not Updated`);
  else if (at(pool, 'status', 'configuration', 'name') !== target)
    left.push(`pool ${name} has another target`);
  else if (at(pool, 'status', 'machineCount') !== members.length)
    left.push(`pool ${name} counts ${String(at(pool, 'status', 'machineCount'))} of ${members.length} nodes`);
  else if (at(pool, 'status', 'observedGeneration') !== at(pool, 'metadata', 'generation'))
    left.push(`pool ${name} has an old status`);
  const image = state.builtImage(name);
  for (const [node, object] of members) {
    const current = annotation(object, 'currentConfig');
    if (current !== target || annotation(object, 'state') !== 'Done')
      left.push(
        `node ${node} is ${annotation(object, 'state')} at ${current}: ${annotation(object, 'reason')}`,
      );
    else if (annotation(object, 'currentImage') !== image)
      left.push(`node ${node} has the image "${annotation(object, 'currentImage')}", not "${image}"`);
  }
  return left;
}

/** Objects of builds by name; what is before the name says what they are. Pods have something behind it. */
const OBJECT_OF_BUILD = /\/([a-z-]+?)-([a-z]+-[0-9a-f]{32})(?:-[0-9a-z]+)?$/;
/** The record of a build's images, and the credentials for them. They stay as long as the build or one of its images. */
const RECORD = ['digest', 'final'];

function leftOfBuilds(cluster: SimulatedCluster, state: ObservedState): readonly string[] {
  const { store, registry, namespace, buildPods } = cluster;
  const left: string[] = [];
  for (const [name, config] of state.osConfigs) {
    const image = state.builtImage(name);
    // One that was deleted there is built again.
    if (!registry.built.has(image)) left.push(`the image "${image}" of pool ${name} is not in the registry`);
    if (at(config, 'status', 'observedGeneration') !== at(config, 'metadata', 'generation'))
      left.push(`MachineOSConfig ${name} has an old status`);
  }
  for (const [name, build] of state.osBuilds) {
    if (!state.osConfigs.has(stringAt(build, 'spec', 'machineOSConfig', 'name')))
      left.push(`MachineOSBuild ${name} is of a MachineOSConfig that is gone`);
    if (condition(build, 'Succeeded')?.status !== 'True')
      left.push(`MachineOSBuild ${name} has not succeeded`);
  }
  const images = new Set(
    [...state.osBuilds.values()].map((build) => stringAt(build, 'status', 'digestedImagePushSpec')),
  );
  const isRecorded = (build: string) =>
    state.osBuilds.has(build) ||
    recordedImages(store.get(`/configmaps/${namespace}/digest-${build}`)?.value).some((image) =>
      images.has(image),
    );
  for (const prefix of ['/configmaps', '/secrets', 'batch/jobs', '/pods']) {
    const page = store.range({ prefix: `${prefix}/${namespace}/` });
    for (const { key } of page.kind === 'page' ? page.entries : []) {
      const [, kind = '', build = ''] = OBJECT_OF_BUILD.exec(key) ?? [];
      if (build !== '' && !(RECORD.includes(kind) && isRecorded(build))) left.push(`${key} is left`);
    }
  }
  for (const image of registry.built.keys()) {
    if (!images.has(image) && buildPods?.unreported.has(image) !== true) left.push(`image ${image} is left`);
  }
  return left;
}

function recordedImages(value: Uint8Array | undefined): readonly string[] {
  const data = value === undefined ? undefined : at(JSON.parse(new TextDecoder().decode(value)), 'data');
  const digests = [stringAt(data, 'digest'), ...stringAt(data, 'former').split(' ')];
  return digests.map((digest) => `${stringAt(data, 'repository')}@${digest.trim()}`);
}
