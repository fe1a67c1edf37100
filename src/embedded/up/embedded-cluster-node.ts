/**
 * The embedded cluster: an API server, what a cluster has beside it, a registry, machines, and Millwright itself, all in
 * this process.
 *
 *     API server ◄── stand-ins: workloads, scheduler, kubelets     (`cluster`)
 *         ▲ ▲
 *         │ └── pods that stand for parts ──► runner ──► operator, controllers, a daemon per machine (`processes`)
 *         └──── everybody as themselves, with the rights of manifests/
 *     registry ◄──HTTP── machines: sandboxes in folders             (`host`)
 *
 * What is started first is stopped last. All of it survives the process: objects in the store, machines in their folders.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Env, Log } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import type { ControllerSettings, Release } from '../../controllers/index.ts';
import type { DaemonSettings } from '../../node/daemon/index.ts';
import { nodeSettings, workloadSettings } from '../controllers/index.ts';
import { BoundedFile } from './bounded-file-node.ts';
import { readClusterFile, writeClusterFile } from './cluster-file-node.ts';
import { startComponents } from './components.ts';
import { openContainerLogs } from './container-logs-node.ts';
import { EmbeddedKubelet } from './embedded-kubelet.ts';
import { type EmbeddedServer, startEmbeddedServer } from './embedded-server-node.ts';
import { provideOsImage } from './install-config.ts';
import {
  compareMachines,
  type FleetSize,
  type MachineName,
  machineNames,
  simulatedNode,
} from './machine-names.ts';
import { foldersOfMachines, Machines } from './machines-node.ts';
import { createNodeRoutes } from './node-routes.ts';
import { createObserver, type Observer } from './observer.ts';
import { type EmbeddedRegistry, startRegistry } from './registry-node.ts';
import { startStandIns } from './stand-ins.ts';
import { StoppableClock } from './stoppable-clock.ts';

export type EmbeddedClusterOptions = {
  /** Its signal ends the start; a cluster that has started is ended by `stop`. */
  readonly env: Env;
  readonly dataDir: string;
  readonly port?: number | undefined;
  readonly packageRoot: string;
  readonly version: string;
  readonly release: Release;
  readonly templates: ReadonlyMap<string, string>;
  /** At least so many machines, three of each role where nothing is said at the first start; those that are there stay. */
  readonly size: Partial<FleetSize>;
  /** Without them pods find no place, and operator and controllers run without pods. */
  readonly hasMachines: boolean;
  readonly speed: number;
  readonly settings: { readonly controllers: ControllerSettings; readonly daemon: DaemonSettings };
  /** The log of a component, in the form that people know. */
  readonly createLog: (write: (text: string) => void, component: string) => Log;
  /** What the start is at. */
  readonly progress: (line: string) => void;
  /** A part of this process has failed; it is started again. */
  readonly onTrouble: (line: string) => void;
};

export type EmbeddedCluster = {
  readonly url: string;
  readonly registryPort: number;
  readonly machines: readonly string[];
  readonly observer: Observer;
  /** Whether this directory was never ready before. */
  readonly isFirstStart: boolean;
  /** Resolves once it can be said that the cluster is ready; false where somebody stopped it before. */
  readonly ready: () => Promise<boolean>;
  readonly stop: () => Promise<void>;
};

/** Throws a `Failure` where the folder, the port or a machine cannot be used. Nothing is left open then. */
export async function startEmbeddedCluster(options: EmbeddedClusterOptions): Promise<EmbeddedCluster> {
  const closers: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (let close = closers.pop(); close !== undefined; close = closers.pop()) await close();
  };
  try {
    return await start(options, { stop, closing: (close) => closers.push(close) });
  } catch (error) {
    await stop();
    throw error;
  }
}

type Closing = {
  readonly stop: () => Promise<void>;
  readonly closing: (close: () => Promise<void>) => void;
};

async function start(options: EmbeddedClusterOptions, { stop, closing }: Closing): Promise<EmbeddedCluster> {
  const { env: outer, dataDir, speed, progress } = options;
  const kubelet = new EmbeddedKubelet();
  const server = await startServer(options, kubelet);
  closing(server.stop);
  const remembered = readClusterFile(dataDir);
  // What runs over the server ends with this, not with the signal from outside: there is an order to it.
  const ending = new AbortController();
  const file = new BoundedFile(join(dataDir, 'log'));
  const log = options.createLog((text) => file.write(text), 'up.go');
  closing(() => file.close());
  const env: Env = { ...outer, log, signal: ending.signal };
  const registry = await startEmbeddedRegistry(options, env, remembered.registryPort);
  closing(registry.stop);
  const logs = await openContainerLogs({ folder: join(dataDir, 'logs'), clock: env.clock });
  closing(() => logs.close());
  const observer = createObserver({ handle: server.handle, env });
  closing(() => observer.stop());
  closing(async () => ending.abort());
  await provideOsImage(observer.kube, { osImage: registry.osImage, version: options.version });
  const folder = machinesFolder(dataDir);
  const known = [...remembered.machines, ...foldersOfMachines(folder)];
  const names = namesOf(options, known);
  const remember = (wasReady: boolean) => {
    const machines = [...new Set([...known, ...names])].toSorted(compareMachines);
    writeClusterFile(dataDir, { wasReady, registryPort: registry.port, machines });
  };
  remember(remembered.wasReady);
  const clock = new StoppableClock(env.clock);
  const says = new Map<string, Log>();
  const machines = new Machines({
    ...{ env: { ...env, clock }, folder, speed, names },
    pull: (_, host) => registry.images.pullerFor(host),
    firstConfig: (role) => observer.poolConfig(role),
    say: (name, line) => says.get(name)?.info(line),
    onReady: (name, how) => progress(`${name} is ${how === 'installed' ? 'installed' : 'back'}`),
  });
  closing(async () => clock.stop());
  kubelet.connect({
    ...{ logs, pod: observer.pod, isUp: (node) => machines.isUp(node) },
    routes: createNodeRoutes({ machineOf: (name) => machines.machine(name), pull: registry.images.pull }),
  });
  const standIns = startStandIns({
    ...{ env, handle: server.handle, power: machines, nodes: names.map(simulatedNode) },
    workloads: workloadSettings({ authorityPem: server.authorityPem, speed }),
    settings: nodeSettings({ speed }),
  });
  closing(standIns);
  const components = startComponents({
    ...{ ...options, env, handle: server.handle, observer, machines, logs, says },
    hasHadPods: remembered.wasReady && options.hasMachines,
    nodeLog: (node) => new BoundedFile(join(folder, node, 'log')),
  });
  closing(components.stop);
  progress(names.length === 0 ? 'no machines' : `starting ${counted(names.length, 'machine')}`);
  await machines.start();
  return {
    ...{ url: server.url, registryPort: registry.port, machines: names, observer, stop },
    isFirstStart: !remembered.wasReady,
    async ready() {
      const isReady = remembered.wasReady
        ? await components.allRunning(outer.signal)
        : await observer.allUpdated(names.length, { signal: outer.signal, progress });
      if (isReady) remember(true);
      return isReady;
    },
  };
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
  { dataDir, packageRoot, progress }: EmbeddedClusterOptions,
  env: Env,
  lastPort: number | undefined,
): Promise<EmbeddedRegistry> {
  progress('starting the registry');
  return await startRegistry({ env, packageRoot, lastPort, folder: join(dataDir, 'registry') });
}

const USUAL_MACHINES = 3;

/** Those that are known stay; how many there usually are counts only where there are none yet. */
function namesOf(
  { hasMachines, size }: EmbeddedClusterOptions,
  known: readonly MachineName[],
): readonly MachineName[] {
  if (!hasMachines) return [];
  const usual = known.length === 0 ? USUAL_MACHINES : 0;
  const { controlPlane = usual, workers = usual } = size;
  return [...new Set([...known, ...machineNames({ controlPlane, workers })])].toSorted(compareMachines);
}

function machinesFolder(dataDir: string): string {
  const folder = join(dataDir, 'nodes');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  } catch (error) {
    throw new Failure('stalled', 'DataDirUnusable', `the folder ${folder} cannot be made or used`, error);
  }
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
