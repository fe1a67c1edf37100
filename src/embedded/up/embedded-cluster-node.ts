/**
 * The embedded cluster: API server, cluster controllers, registry, machines, and Millwright's own components, all in this
 * process.
 *
 *     API server ◄── workload controllers, scheduler, simulated kubelets     (`embedded/controllers`)
 *         ▲ ▲
 *         │ └── pods of components ──► runner ──► operator, controllers, a daemon per machine (`processes`)
 *         └──── each with its own identity and the RBAC rules of manifests/
 *     registry ◄──HTTP── machines: sandboxes in directories         (`embedded/sandbox`)
 *
 * What is started first is stopped last. All state is persistent: objects in the store, machines in their directories.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { NAMESPACE } from '../../api/index.ts';
import type { Clock, Env, Log } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import { counted } from '../../base/text/index.ts';
import { certificateIssuer } from '../../certificates/certificate-issuer-node.ts';
import {
  authoritiesIn,
  type ConfigServerOptions,
  type ControllerSettings,
  type Release,
} from '../../controllers/index.ts';
import { BUILD_POD_ACCOUNT, type BuildLimits, createBuildRegistry } from '../../images/index.ts';
import { createInProcessTransport, createKube } from '../../kubernetes/client/index.ts';
import type { DaemonSettings } from '../../node/daemon/index.ts';
import { nodeSettings, SimulatedNodes, workloadSettings } from '../controllers/index.ts';
import { serviceAccountUser } from '../rbac/index.ts';
import { BoundedFile } from './bounded-file-node.ts';
import { BuildPods } from './build-pods-node.ts';
import { startClusterControllers } from './cluster-controllers.ts';
import { type ClusterFile, readClusterFile, writeClusterFile } from './cluster-file-node.ts';
import { type ClusterView, createClusterView } from './cluster-view.ts';
import { BUILDER_IMAGE } from './component-instances.ts';
import { startComponents } from './components.ts';
import { type ConfigServerPort, openConfigServerPort } from './config-server-port-node.ts';
import type { ContainerLogs } from './container-logs.ts';
import { openContainerLogs } from './container-logs-node.ts';
import { BUILDS } from './delete-cluster-node.ts';
import { EmbeddedKubelet } from './embedded-kubelet.ts';
import { type EmbeddedServer, startEmbeddedServer } from './embedded-server-node.ts';
import { applyInstalledObjects } from './installed-objects.ts';
import { writeBootstrapToken } from './joining/bootstrap-token.ts';
import { Fleet } from './joining/fleet.ts';
import { createFirstBoot } from './joining/joining-machines-node.ts';
import {
  compareMachines,
  type FleetSize,
  isMachineName,
  type MachineName,
  machineNames,
  simulatedNode,
} from './machine-names.ts';
import { Machines, machineDirectories } from './machines-node.ts';
import { createNodeRoutes } from './node-routes.ts';
import { type EmbeddedRegistry, type ReleasedImage, startRegistry } from './registry-node.ts';
import { StoppableClock } from './stoppable-clock.ts';

export type EmbeddedClusterOptions = {
  /** Its signal cancels the start; a started cluster is stopped by `stop`. */
  readonly env: Env;
  readonly dataDir: string;
  readonly port?: number | undefined;
  readonly packageRoot: string;
  /** The command line that runs Millwright, for child processes. */
  readonly program: readonly [string, ...string[]];
  /** Variables of this process; builds get what they need of it. */
  readonly environment: { readonly [name: string]: string | undefined };
  readonly version: string;
  readonly release: Release;
  readonly templates: ReadonlyMap<string, string>;
  /** Minimum numbers of machines, by default three of each role at the first start; existing ones are kept. */
  readonly size: Partial<FleetSize>;
  /** Without machines no pods run, and operator and controllers run without pods. */
  readonly hasMachines: boolean;
  readonly speed: number;
  readonly settings: {
    readonly controllers: ControllerSettings;
    readonly daemon: DaemonSettings;
    readonly builds: BuildLimits;
  };
  /** The log of a component, in klog format. */
  readonly createLog: (write: (text: string) => void, component: string) => Log;
  /** Reports the progress of the start. */
  readonly progress: (line: string) => void;
  /** A component has failed and is restarted. */
  readonly onWarning: (line: string) => void;
};

export type EmbeddedCluster = {
  readonly url: string;
  readonly registryPort: number;
  /** Where machines find the machine config server. */
  readonly serverPort: number;
  /** An OS image that nodes do not have yet. */
  readonly nextOsImage: ReleasedImage | undefined;
  readonly machines: readonly string[];
  readonly view: ClusterView;
  /** Whether this cluster was never ready before. */
  readonly isFirstStart: boolean;
  /** Resolves once the cluster is ready; false if it was stopped before. */
  readonly ready: () => Promise<boolean>;
  readonly stop: () => Promise<void>;
};

/** Throws a `Failure` if the data directory, the port or a machine cannot be used. Nothing is left open then. */
export async function startEmbeddedCluster(options: EmbeddedClusterOptions): Promise<EmbeddedCluster> {
  const closers: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (let close = closers.pop(); close !== undefined; close = closers.pop()) await close();
  };
  try {
    return await start(options, { stop, onClose: (close) => closers.push(close) });
  } catch (error) {
    await stop();
    throw error;
  }
}

type Closers = {
  readonly stop: () => Promise<void>;
  /** Registers a function that `stop` calls, in reverse order. */
  readonly onClose: (close: () => Promise<void>) => void;
};

async function start(options: EmbeddedClusterOptions, closers: Closers): Promise<EmbeddedCluster> {
  const { env: outer, dataDir, progress } = options;
  const base = await startBase(options, closers);
  const { server, view, registry, saved, configServerPort } = base;
  const directory = machinesDirectory(dataDir);
  const known = [...saved.machines, ...machineDirectories(directory)];
  const names = namesOf(options, known);
  const simulatedNodes = new SimulatedNodes(names.map(simulatedNode));
  let { wasReady: isReadyOnce } = saved;
  const saveState = (wasReady: boolean) => {
    isReadyOnce = wasReady;
    const present = simulatedNodes.names.filter(isMachineName);
    const machines = (options.hasMachines ? present : known).toSorted(compareMachines);
    writeClusterFile(dataDir, {
      wasReady,
      registryPort: registry.port,
      serverPort: configServerPort.port,
      machines,
    });
  };
  saveState(saved.wasReady);
  const save = () => saveState(isReadyOnce);
  const nodes = { directory, names, simulatedNodes, save };
  const { machines, components } = startNodes(options, closers, { ...base, ...nodes });
  progress(names.length === 0 ? 'no machines' : `starting ${counted(names.length, 'machine')}`);
  await machines.start();
  return {
    url: server.url,
    registryPort: registry.port,
    serverPort: configServerPort.port,
    nextOsImage: registry.osImages.at(1),
    machines: names,
    view,
    stop: closers.stop,
    isFirstStart: !saved.wasReady,
    async ready() {
      const isReady = saved.wasReady
        ? await components.allRunning(outer.signal)
        : await view.allUpdated(names.length, { signal: outer.signal, progress });
      if (isReady) saveState(true);
      return isReady;
    },
  };
}

type Base = {
  readonly kubelet: EmbeddedKubelet;
  readonly server: EmbeddedServer;
  readonly registry: EmbeddedRegistry;
  readonly configServerPort: ConfigServerPort;
  readonly logs: ContainerLogs;
  readonly view: ClusterView;
  readonly saved: ClusterFile;
  /** Logs to `DIR/log`; its signal is aborted when everything that uses the server has stopped. */
  readonly env: Env;
};

/** What works without nodes: API server, registry, logs, and the caches over the server. */
async function startBase(options: EmbeddedClusterOptions, { onClose }: Closers): Promise<Base> {
  const { env: outer, dataDir } = options;
  const kubelet = new EmbeddedKubelet();
  const server = await startServer(options, kubelet);
  onClose(server.stop);
  const saved = readClusterFile(dataDir);
  // Clients of the server end with this signal rather than the outer one, since they stop in order.
  const ending = new AbortController();
  const file = new BoundedFile(join(dataDir, 'log'));
  const log = options.createLog((text) => file.write(text), 'up.go');
  onClose(() => file.close());
  const env: Env = { ...outer, log, signal: ending.signal };
  const registry = await startEmbeddedRegistry(options, env, saved.registryPort);
  onClose(registry.stop);
  const configServerPort = await openConfigServerPort(saved.serverPort);
  onClose(configServerPort.stop);
  const logs = await openContainerLogs({ directory: join(dataDir, 'logs'), clock: env.clock });
  onClose(() => logs.close());
  const view = createClusterView({ handle: server.handle, env });
  onClose(() => view.stop());
  onClose(async () => ending.abort());
  const { version, speed } = options;
  await applyInstalledObjects(view.kube, { osImages: registry.osImages, version, speed });
  await writeBootstrapToken(view.kube, server.authorityPem);
  return { kubelet, server, registry, configServerPort, logs, view, saved, env };
}

type NodesOptions = Base & {
  readonly directory: string;
  readonly names: readonly MachineName[];
  readonly simulatedNodes: SimulatedNodes;
  /** Records which machines there are. */
  readonly save: () => void;
};

/** The machines, the controllers of the cluster, and the components that run on them. */
function startNodes(options: EmbeddedClusterOptions, { onClose }: Closers, nodes: NodesOptions) {
  const { kubelet, server, registry, configServerPort, logs, view, saved, env, directory } = nodes;
  const { speed } = options;
  const { handle } = server;
  const clock = new StoppableClock(env.clock);
  const daemonLogs = new Map<string, Log>();
  const machines = createMachines(options, nodes, { ...{ clock }, logOf: (name) => daemonLogs.get(name) });
  onClose(async () => clock.stop());
  kubelet.connect({
    logs,
    pod: view.pod,
    isUp: (node) => machines.isUp(node),
    routes: createNodeRoutes({
      machineOf: (name) => machines.machine(name),
      pull: registry.images.pull,
      fleet: new Fleet({ env, view, machines, nodes: nodes.simulatedNodes, save: nodes.save }),
    }),
  });
  const buildPods = createBuildPods(options, { env, server, view, logs, registry, machines });
  onClose(() => buildPods.stop());
  const stopControllers = startClusterControllers({
    env,
    handle,
    power: machines,
    nodes: nodes.simulatedNodes,
    workloads: workloadSettings({ authorityPem: server.authorityPem, speed }),
    settings: nodeSettings({ speed }),
    executions: buildPods,
  });
  onClose(stopControllers);
  const components = startComponents({
    ...options,
    env,
    handle,
    publishMetrics: server.publishMetrics,
    view,
    machines,
    logs,
    daemonLogs,
    hasHadPods: saved.wasReady && options.hasMachines,
    url: server.url,
    configServerPort,
    configServer: configServerAt(configServerPort),
    builds: {
      registry: createBuildRegistry({
        transport: registry.transport,
        env,
        authoritiesFor: authoritiesIn(view.kube),
        isPlainHttp: registry.isPlainHttp,
      }),
      builderImage: BUILDER_IMAGE,
      limits: options.settings.builds,
    },
    nodeLog: (node) => new BoundedFile(join(directory, node, 'log')),
  });
  onClose(components.stop);
  return { machines, components };
}

type MachineParts = { readonly clock: Clock; readonly logOf: (name: string) => Log | undefined };

function createMachines(
  { speed, progress }: EmbeddedClusterOptions,
  { env: outer, directory, names, registry, view }: NodesOptions,
  { clock, logOf }: MachineParts,
): Machines {
  const env: Env = { ...outer, clock };
  const log = (name: string, line: string) => logOf(name)?.info(line);
  const bootImage = registry.osImages[0].reference;
  return new Machines({
    env,
    directory,
    speed,
    names,
    pull: (_, host) => registry.images.pullerFor(host),
    containers: registry.images.containersFor,
    firstConfig: (role) => view.poolConfig(role),
    firstBoot: createFirstBoot({ env, kube: view.kube, bootImage, log }),
    log,
    onReady: (name, how) => progress(`${name} is ${how === 'installed' ? 'installed' : 'back up'}`),
  });
}

/** Other users of this machine reach the port too, so machines need a token. */
function configServerAt({ port }: ConfigServerPort): ConfigServerOptions {
  return { issuer: certificateIssuer, url: `https://127.0.0.1:${port}`, isTokenRequired: true };
}

type BuildPodsBase = Pick<Base, 'env' | 'server' | 'view' | 'logs' | 'registry'> & {
  readonly machines: Machines;
};

/** Builds of OS images run on this machine, with its own `buildah`. */
function createBuildPods(
  { dataDir, program, environment }: EmbeddedClusterOptions,
  { env, server, view, logs, registry, machines }: BuildPodsBase,
): BuildPods {
  const { pods, jobs, machineOSBuilds } = view;
  const buildPods = new BuildPods({
    kube: view.kube,
    // Like the token of the pod, which is bound to it.
    kubeOf: ({ metadata: { name: podName, uid: podUid = '' } }) => {
      const account = { namespace: NAMESPACE, name: BUILD_POD_ACCOUNT, uid: '' };
      const user = serviceAccountUser({ ...account, podName, podUid });
      const transport = createInProcessTransport({ handle: server.handle, user });
      return createKube({ transport, env, fieldManager: BUILD_POD_ACCOUNT });
    },
    pods,
    lookup: {
      job: (name) => jobs.get({ name, namespace: NAMESPACE }),
      build: (name) => machineOSBuilds.get({ name }),
      onChange: (listener) => {
        jobs.onChange(listener);
        machineOSBuilds.onChange(listener);
      },
    },
    logs,
    log: env.log,
    directory: join(dataDir, BUILDS),
    program,
    environment: { ...environment, MILLWRIGHT_REGISTRY_ALIAS: registry.alias },
    bootOf: (node) => machines.bootIdOf(node),
  });
  machines.onChange((node) => buildPods.machineChanged(node));
  return buildPods;
}

async function startServer(
  options: EmbeddedClusterOptions,
  kubelet: EmbeddedKubelet,
): Promise<EmbeddedServer> {
  const { env, dataDir, port, packageRoot, progress } = options;
  progress('starting the API server');
  return await startEmbeddedServer({ env, dataDir, port, packageRoot, kubelet, tokenUsers: [] });
}

async function startEmbeddedRegistry(
  { dataDir, packageRoot, environment, progress }: EmbeddedClusterOptions,
  env: Env,
  lastPort: number | undefined,
): Promise<EmbeddedRegistry> {
  progress('starting the registry');
  return await startRegistry({
    env,
    packageRoot,
    searchPath: environment.PATH,
    lastPort,
    folder: join(dataDir, 'registry'),
  });
}

const DEFAULT_MACHINES = 3;

/** Existing machines are kept; the defaults apply only to a new cluster. */
function namesOf(
  { hasMachines, size }: EmbeddedClusterOptions,
  known: readonly MachineName[],
): readonly MachineName[] {
  if (!hasMachines) return [];
  const fallback = known.length === 0 ? DEFAULT_MACHINES : 0;
  const { controlPlane = fallback, workers = fallback } = size;
  return [...new Set([...known, ...machineNames({ controlPlane, workers })])].toSorted(compareMachines);
}

function machinesDirectory(dataDir: string): string {
  const directory = join(dataDir, 'nodes');
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return directory;
  } catch (error) {
    throw new Failure('stalled', 'DataDirUnusable', `cannot create the directory ${directory}`, error);
  }
}
