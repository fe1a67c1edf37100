/**
 * A real Kubernetes cluster on this computer: a control plane, and three machines with kubelets. Two boot from OSTree and run
 * CRI-O, one is a plain Debian with containerd. Start here: {@link startCluster}.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kube } from '../../src/kubernetes/client/index.ts';
import type { NodeTransport } from '../../src/kubernetes/client/transport-node.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { OS_VERSIONS, type OsImages, type OsVersion, osImages } from '../lab/os-images.ts';
import { makeRunFolder } from '../lab/run-folder.ts';
import { runTool } from '../lab/run-tool.ts';
import { until } from '../lab/until.ts';
import { nodeAddress, REGISTRIES, type RegistryName } from './addresses.ts';
import { type ClusterMachine, installMachine, type NodeSystem } from './cluster-machine.ts';
import { type ControlPlane, type ServerName, startControlPlane } from './control-plane.ts';
import { explainCluster } from './explain.ts';
import { type Fetched, fetchFrom } from './fetch.ts';
import { pushSmallImages } from './images.ts';
import { installJoiningMachine, type JoiningMachine } from './joining-machine.ts';
import type { Programs } from './needs.ts';
import { makeNetwork } from './network.ts';
import { nodeIdentity } from './node-files.ts';
import { nodeOs } from './node-os.ts';
import { type ForwardedRequest, fetchForwarded } from './port-forward.ts';
import { type ClusterRegistry, startRegistry } from './registries.ts';

/** Has a place in the network, and becomes a machine where a story wants one more. */
const JOINING_NAME = 'ostree-2';
const SYSTEMS = { 'ostree-0': 'ostree', 'ostree-1': 'ostree', 'debian-0': 'debian' } as const;
export type NodeName = keyof typeof SYSTEMS;

export type Cluster = {
  /** Of an administrator. */
  readonly kube: Kube;
  readonly transport: NodeTransport;
  readonly kubeconfigPath: string;
  /** Standard output; rejects where kubectl fails. */
  readonly kubectl: (args: readonly string[], input?: string) => Promise<string>;
  readonly machines: readonly ClusterMachine[];
  readonly machine: (name: NodeName) => ClusterMachine;
  /** One more, which is no node yet and none of `machines`. It goes away with `remove`, at the latest with the cluster. */
  readonly addMachine: () => Promise<JoiningMachine & { readonly remove: () => Promise<void> }>;
  readonly registry: (name: RegistryName) => ClusterRegistry;
  /** A request from beside the control plane, which reaches machines and pods by their addresses. Certificates are not verified. */
  readonly fetch: (url: string, headers?: Readonly<Record<string, string>>) => Promise<Fetched>;
  /** A request to a port of a pod, also to one that listens on its loopback alone. */
  readonly fetchForwarded: (request: ForwardedRequest) => Promise<Fetched>;
  /** The pullspec of a version of the OS of the OSTree machines, by its digest. */
  readonly osImage: (version: OsVersion) => string;
  /** `cordon NODE`, `uncordon NODE` and `evict NAMESPACE/POD` that anybody asked for since the start, in their order. */
  readonly drainRequests: () => Promise<readonly string[]>;
  readonly stopServer: (name: ServerName) => Promise<void>;
  readonly startServer: (name: ServerName) => Promise<void>;
  /** For files of the test; removed with the cluster. */
  readonly folder: string;
  /** For debugging a failed test. */
  readonly explain: () => Promise<string>;
  readonly stop: () => Promise<void>;
};

const READY_LIMIT_MS = 180_000;
const OS_REPOSITORY = 'lab/os';

/** Resolves once all nodes are Ready. None has a role, as workers of kubeadm and all nodes of a managed cluster. */
export async function startCluster(programs: Programs): Promise<Cluster> {
  const undos: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    const troubles: unknown[] = [];
    for (const undo of undos.splice(0).reverse()) await undo().catch((error) => troubles.push(error));
    if (troubles.length > 0)
      throw new AggregateError(troubles, `the cluster was not left as it was: ${troubles.join('; ')}`);
  };
  try {
    return { ...(await build(programs, undos)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function build(programs: Programs, undos: (() => Promise<unknown>)[]): Promise<Omit<Cluster, 'stop'>> {
  const images = await osImages(nodeOs(programs));
  const run = await makeRunFolder();
  undos.push(run.remove);
  const folder = join(run.path, 'cluster');
  await mkdir(folder);
  const nodes = Object.keys(SYSTEMS).map(nodeAddress);
  const joining = nodeAddress(JOINING_NAME, nodes.length);
  const network = await makeNetwork(folder, [...nodes, joining]);
  undos.push(network.stop);
  const controlPlane = await startControlPlane({ network, folder, programs, nodes });
  undos.push(controlPlane.stop);
  const registries = new Map<string, ClusterRegistry>();
  // The keys are names of registries.
  for (const name of Object.keys(REGISTRIES) as RegistryName[]) {
    const { certificates } = controlPlane;
    const registry = await startRegistry({ network, folder }, { name, certificates });
    registries.set(name, registry);
    undos.push(registry.stop);
  }
  const registry = (name: RegistryName) => found(registries.get(name), name);
  const own = registry('registry.millwright.dev');
  await pushSmallImages(own, join(folder, 'small-images'));
  const osImage = await pushOs(images, own);
  const image = { name: osImage('1.0'), digest: await images.digest('1.0'), version: '1.0' };
  const context = { run, network, programs, os: { images, image } };
  const machines: ClusterMachine[] = [];
  const added = new Set<ClusterMachine>();
  undos.push(() => removeAll([...machines, ...added]));
  for (const node of nodes) {
    const system: NodeSystem = SYSTEMS[node.name as NodeName];
    machines.push(await installMachine(context, system, await nodeIdentity(node, controlPlane)));
  }
  const kubectl = (args: readonly string[], input = '') =>
    runTool([programs.kubectl, ...args], {
      input,
      env: { KUBECONFIG: controlPlane.kubeconfigPath, HOME: folder },
    });
  const explain = () => explainCluster({ controlPlane, machines: [...machines, ...added], kubectl });
  await startMachines({ controlPlane, machines, explain });
  const machine = (name: NodeName) =>
    found(
      machines.find((one) => one.name === name),
      name,
    );
  const addMachine = async () => {
    const { caPem } = controlPlane.certificates;
    const one = await installJoiningMachine(context, { ...joining, caPem });
    added.add(one);
    const remove = async () => {
      await removeAll([one]);
      added.delete(one);
    };
    return { ...one, remove };
  };
  const { kube, transport, kubeconfigPath, stopServer, startServer, drainRequests } = controlPlane;
  return {
    ...{ kube, transport, kubeconfigPath, kubectl, stopServer, startServer, drainRequests },
    ...{ machines, machine, addMachine, registry, osImage, explain },
    fetchForwarded: (request) =>
      fetchForwarded({ kubectl: programs.kubectl, kubeconfig: kubeconfigPath, folder }, request),
    fetch: (url, headers = {}) => fetchFrom(network.inControlPlane, url, headers),
    folder: join(run.path, 'test'),
  };
}

function found<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`the cluster has no ${name}`);
  return value;
}

async function pushOs(images: OsImages, registry: ClusterRegistry): Promise<(version: OsVersion) => string> {
  const digests = new Map<OsVersion, string>();
  for (const version of OS_VERSIONS)
    digests.set(
      version,
      await registry.push(`dir:${images.imageFolder(version)}`, `${OS_REPOSITORY}:${version}`),
    );
  return (version) => `registry.millwright.dev/${OS_REPOSITORY}@${digests.get(version)}`;
}

async function startMachines(parts: {
  readonly controlPlane: ControlPlane;
  readonly machines: readonly ClusterMachine[];
  readonly explain: () => Promise<string>;
}): Promise<void> {
  const { controlPlane, machines, explain } = parts;
  await Promise.all(machines.map((machine) => machine.start()));
  await until('all nodes are Ready', { limitMs: READY_LIMIT_MS, explain }, async () => {
    const { items } = await controlPlane.kube.list(nodeKind);
    const ready = items.filter(({ status }) =>
      status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True'),
    );
    return ready.length === machines.length;
  });
}

/** Power is cut: an orderly shutdown would wait for pods. */
async function removeAll(machines: readonly ClusterMachine[]): Promise<void> {
  await Promise.all(machines.map(({ machine }) => machine.cutPower()));
  await Promise.all(machines.map(({ machine }) => machine.remove()));
}
