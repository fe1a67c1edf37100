/**
 * A cluster in memory and in virtual time: the real API server, operator, controllers and daemons; machines, kubelets and applications are
 * modelled. Nothing of the machine that it runs on is used but its processor.
 */
import { NAMESPACE } from '../../api/index.ts';
import { silentLog } from '../../base/env.ts';
import { createApiServer, type Store, type StoreEvent } from '../../embedded/apiserver/index.ts';
import { createInProcessTransport, createKube } from '../../kubernetes/client/index.ts';
import { node as nodeKind, serviceAccount as serviceAccountKind } from '../../kubernetes/types/index.ts';
import { type DaemonSettings, DEFAULT_DAEMON_SETTINGS } from '../../node/daemon/index.ts';
import type { NodeConfig } from '../../node/plan/index.ts';
import { AFTER_INSTALLATION_MS, type Installation, storeWith } from '../installation-node.ts';
import { CALM, INSTANT, Network, type Served } from '../network.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';
import { randomOf } from '../seeded-random.ts';
import { Trace } from '../trace.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { BuildPods } from './build-pods.ts';
import { type ComponentSetup, createComponents } from './components.ts';
import type { Ground } from './ground.ts';
import { Kubelets } from './kubelets.ts';
import { type MachineTimes, SimulatedMachine } from './machine.ts';
import { ModelledNodes } from './modelled-nodes.ts';
import { SimulatedRegistry } from './os-images.ts';
import { type Pace, USUAL_PACE } from './pace.ts';
import { type Workload, Workloads } from './workloads.ts';

type ClusterOptions = {
  readonly seed: number;
  readonly installation: Installation;
  readonly nodes: readonly SimulatedNode[];
  readonly workloads: readonly Workload[];
  readonly times: MachineTimes;
  /** Requests take no time: for large clusters. */
  readonly isInstant?: boolean;
  /** When it begins; in a fixed year where it is absent. */
  readonly startMs?: number;
  readonly pace?: Pace;
  readonly components?: ComponentSetup;
  readonly daemonSettings?: DaemonSettings;
  readonly registry?: SimulatedRegistry;
  /** There are MachineOSConfigs, and a builder for them. */
  readonly isImageMode?: boolean;
  /** Writes what is there before anything runs. */
  readonly fill?: (store: Store) => Promise<void>;
  readonly observer: Observer;
  readonly onLine?: ((line: string) => void) | undefined;
};

type SimulatedNode = {
  readonly name: string;
  readonly roles: readonly string[];
  readonly zone?: string;
};

type AdoptedNode = {
  readonly name: string;
  /** What is on its disk. */
  readonly config: NodeConfig;
  readonly times: MachineTimes;
  readonly isUp: boolean;
  /** It has neither a disk nor a daemon of its own: see `ModelledNodes`. */
  readonly isModelled?: boolean;
};

/** Sees all that is stored and served, and every reboot that a daemon asks for. */
export type Observer = {
  readonly onStored: (event: StoreEvent, cluster: SimulatedCluster) => void;
  readonly onServed: (served: Served, cluster: SimulatedCluster) => void;
  readonly onReboot: (node: string, cluster: SimulatedCluster) => void;
  readonly onBug: (error: Error) => void;
};

export type SimulatedCluster = Ground & {
  readonly machines: ReadonlyMap<string, SimulatedMachine>;
  readonly components: readonly SupervisedProcess[];
  readonly kubelets: Kubelets;
  readonly workloads: Workloads;
  /** In image mode. */
  readonly buildPods: BuildPods | undefined;
  readonly addNode: (node: SimulatedNode) => Promise<void>;
  /** A machine for a node that is registered. */
  readonly adoptNode: (node: AdoptedNode) => Promise<void>;
  /** The machine is switched off, and its Node deleted. */
  readonly removeNode: (name: string) => Promise<void>;
  /** Awaits work while virtual time goes on. */
  readonly settled: <T>(work: Promise<T>) => Promise<T>;
  readonly stop: () => Promise<void>;
};

const CONTROLLER_MANAGER = { name: 'system:kube-controller-manager', groups: ['system:masters'] };
const ADMINISTRATOR = { name: 'administrator', groups: ['system:masters'] };
const LOG_LIMITS = { events: 200_000, bytes: 512 * 1024 * 1024 };
const UNLIMITED = { rate: { perSecond: 1_000_000, burst: 1_000_000 } };
const TOKEN_KEY = new Uint8Array(32);
/** How long an administrator waits for an answer. */
const PATIENCE_MS = 10 * 60_000;

export async function startCluster(options: ClusterOptions): Promise<SimulatedCluster> {
  const { seed, observer, isInstant = false } = options;
  const clock = new VirtualClock(options.startMs === undefined ? {} : { startMs: options.startMs });
  const trace = new Trace({ nowMs: () => clock.monotonic(), onLine: options.onLine });
  const store = await storeWith(options.installation, LOG_LIMITS);
  await options.fill?.(store);
  const env = { clock, random: randomOf(seed, 'server'), log: silentLog };
  const ending = new AbortController();
  const server = await createApiServer({ store, env, tokenKey: TOKEN_KEY });
  await clock.advance(AFTER_INSTALLATION_MS);
  const served = (one: Served) => observer.onServed(one, cluster);
  const network = new Network({ clock, trace, handle: server.handle, onServed: served });
  network.conditions = isInstant ? INSTANT : CALM;
  const transport = network.reliableLink('administrator', ADMINISTRATOR);
  const admin = { ...env, random: randomOf(seed, 'administrator'), signal: ending.signal };
  const kube = createKube({ transport, env: admin, fieldManager: 'administrator', limits: UNLIMITED });
  const ground: Ground = {
    ...{ seed, clock, trace, store, server, network, kube, namespace: NAMESPACE },
    registry: options.registry ?? new SimulatedRegistry(),
    pace: options.pace ?? USUAL_PACE,
    daemonSettings: options.daemonSettings ?? DEFAULT_DAEMON_SETTINGS,
    isImageMode: options.isImageMode ?? false,
    signal: ending.signal,
    onBug: observer.onBug,
  };
  const kubelets = new Kubelets(ground);
  const workloads = new Workloads(ground, kubelets);
  const buildPods = ground.isImageMode ? new BuildPods(ground, kubelets) : undefined;
  const cluster = withNodes(ground, { options, kubelets, workloads, buildPods, ending });
  store.subscribe({ prefix: '', from: store.revision() }, (event) => {
    trace.add(`${event.revision} ${event.kind} ${event.key}`, event.kind === 'put' ? event.value : undefined);
    observer.onStored(event, cluster);
  });
  await begin(cluster, options, ADMINISTRATOR);
  return cluster;
}

type Parts = {
  readonly options: ClusterOptions;
  readonly kubelets: Kubelets;
  readonly workloads: Workloads;
  readonly buildPods: BuildPods | undefined;
  readonly ending: AbortController;
};

function withNodes(
  ground: Ground,
  { options, kubelets, workloads, buildPods, ending }: Parts,
): SimulatedCluster {
  const machines = new Map<string, SimulatedMachine>();
  /** Those that were removed, too. */
  const all: SimulatedMachine[] = [];
  const modelled = new ModelledNodes(ground);
  const newMachine = (name: string, times: MachineTimes) => {
    const onReboot = () => options.observer.onReboot(name, cluster);
    const machine = new SimulatedMachine({ ground, name, times: { ...times }, onReboot });
    machines.set(name, machine);
    all.push(machine);
    return machine;
  };
  const cluster: SimulatedCluster = {
    ...ground,
    ...{ machines, kubelets, workloads, buildPods, components: createComponents(ground, options.components) },
    async addNode({ name, roles, zone }) {
      const machine = newMachine(name, options.times);
      await machine.install();
      const labels = Object.fromEntries(roles.map((role) => [`node-role.kubernetes.io/${role}`, '']));
      const zones = zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone };
      await kubelets.add(machine, { ...labels, ...zones });
    },
    async adoptNode({ name, config, times, isUp, isModelled = false }) {
      if (isModelled) {
        kubelets.adopt(modelled.adopt({ name, config, times: { ...times }, isUp }));
        return;
      }
      const machine = newMachine(name, times);
      await machine.install(config);
      if (!isUp) machine.remove();
      kubelets.adopt(machine);
    },
    async removeNode(name) {
      machines.get(name)?.remove();
      machines.delete(name);
      modelled.remove(name);
      await ground.kube.delete(nodeKind, { name });
      kubelets.remove(name);
    },
    settled: (work) => ground.clock.resolved(work, PATIENCE_MS),
    async stop() {
      for (const component of cluster.components) component.dispose();
      for (const machine of all) machine.dispose();
      ending.abort('the simulation has ended');
      await ground.server.close();
      await ground.store.close();
    },
  };
  return cluster;
}

/** Resolves once the processes are started; nothing is rendered yet. */
async function begin(cluster: SimulatedCluster, options: ClusterOptions, user: typeof ADMINISTRATOR) {
  const { settled, server } = cluster;
  await settled(cluster.kube.create(serviceAccountKind, DEFAULT_ACCOUNT));
  for (const node of options.nodes) await settled(cluster.addNode(node));
  cluster.workloads.start(createInProcessTransport({ handle: server.handle, user }));
  for (const workload of options.workloads) await settled(cluster.workloads.add(workload));
  cluster.buildPods?.start(createInProcessTransport({ handle: server.handle, user: CONTROLLER_MANAGER }));
  for (const component of cluster.components) component.start();
}

/** Pods cannot be created without it. */
const DEFAULT_ACCOUNT = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'default', namespace: 'default' },
};
