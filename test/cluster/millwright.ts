/** Millwright on the cluster, installed as an administrator would. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type MachineConfigPool, machineConfigPool as machineConfigPoolKind } from '../../src/api/index.ts';
import { runTool } from '../lab/run-tool.ts';
import { until } from '../lab/until.ts';
import { isPoolUpdated } from '../rollout/build-world.ts';
import type { Cluster } from './cluster.ts';
import { pushMillwright } from './images.ts';
import type { ClusterRegistry } from './registries.ts';

export const NAMESPACE = 'openshift-machine-config-operator';

/** On a computer with two cores, that has other things to do. */
const INSTALL_LIMIT_MS = 300_000;
export const ROLLOUT_LIMIT_MS = 600_000;

export const packageRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Made once, also where Millwright is installed again with other values. */
const images = new WeakMap<ClusterRegistry, Promise<string>>();
const builderImages = new WeakMap<ClusterRegistry, Promise<string>>();

export type Installation = {
  readonly flags?: readonly string[];
  /** Of `--values`. */
  readonly values?: { readonly builder?: { readonly enabled: boolean } } & Readonly<Record<string, unknown>>;
};

/** Resolves once all of its pods are ready. Image mode needs an image of its own: the builder is left out unless values ask for it. */
export async function installMillwright(
  cluster: Cluster,
  { flags = [], values = { builder: { enabled: false } } }: Installation = {},
): Promise<void> {
  const registry = cluster.registry('registry.millwright.dev');
  const image = images.get(registry) ?? pushMillwright(registry, { folder: join(cluster.folder, 'image') });
  images.set(registry, image);
  await image;
  if (values.builder?.enabled !== false) {
    const folder = join(cluster.folder, 'builder-image');
    const builder = builderImages.get(registry) ?? pushMillwright(registry, { folder, flags: ['--builder'] });
    builderImages.set(registry, builder);
    await builder;
  }
  const install = [join(packageRoot, 'bin/millwright'), 'install', '--values', '-', ...flags];
  const manifests = await runTool(install, { input: JSON.stringify(values), limitMs: INSTALL_LIMIT_MS });
  await cluster.kubectl(['apply', '-f', '-'], manifests);
  await eventually(cluster, "all of Millwright's pods are ready", INSTALL_LIMIT_MS, async () => {
    const workloads = ['get', 'deployments,daemonsets', '-n', NAMESPACE, '-o', 'json'];
    // As the API server lists them.
    const { items } = JSON.parse(await cluster.kubectl(workloads)) as { items: readonly Workload[] };
    return items.every(isRolledOut);
  });
}

type Counts = Readonly<Record<string, number>>;
type Workload = {
  readonly kind: string;
  readonly metadata: { readonly generation: number };
  readonly spec: { readonly replicas?: number };
  readonly status?: Counts;
};

/** All pods are of the present template, and ready; a status that is older says nothing of it. */
function isRolledOut({ kind, metadata, spec, status = {} }: Workload): boolean {
  const [wanted, counted] =
    kind === 'DaemonSet'
      ? [status.desiredNumberScheduled, ['updatedNumberScheduled', 'numberReady']]
      : [spec.replicas, ['replicas', 'updatedReplicas', 'readyReplicas']];
  const isSeen = status.observedGeneration === metadata.generation;
  return isSeen && wanted !== undefined && wanted > 0 && counted.every((name) => status[name] === wanted);
}

export async function eventually(
  cluster: Cluster,
  what: string,
  limitMs: number,
  holds: () => Promise<boolean>,
): Promise<void> {
  await until(what, { limitMs, explain: cluster.explain }, holds);
}

export async function poolOf(cluster: Cluster, name = 'worker'): Promise<MachineConfigPool | undefined> {
  return await cluster.kube.get(machineConfigPoolKind, { name });
}

/** All nodes have the target of the pool. */
export async function untilUpdated(cluster: Cluster, { after = '' } = {}): Promise<string> {
  await eventually(cluster, 'all nodes have the config of the pool', ROLLOUT_LIMIT_MS, async () => {
    const pool = await poolOf(cluster);
    const isWhole = pool?.status?.updatedMachineCount === cluster.machines.length;
    return pool !== undefined && isWhole && pool.spec.configuration?.name !== after && isPoolUpdated(pool);
  });
  return (await poolOf(cluster))?.spec.configuration?.name ?? '';
}
