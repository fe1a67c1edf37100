/**
 * Reads the objects of a fleet status: listed once, or watched.
 */
import {
  CONTROLLER_LEASE,
  type ControllerConfig,
  controllerConfig,
  type MachineConfigNode,
  type MachineConfigPool,
  type MachineOSBuild,
  type MachineOSConfig,
  machineConfigNode,
  machineConfigPool,
  machineOSBuild,
  machineOSConfig,
  OPERATOR_LEASE,
} from '../api/index.ts';
import type { Env } from '../base/env.ts';
import { Failure } from '../base/errors.ts';
import { sleep } from '../base/waiting.ts';
import type { FleetSnapshot, LeaderLeases, Workloads } from '../insight/index.ts';
import {
  type AnyObject,
  createCaches,
  createKube,
  type Kube,
  KubeError,
  type ResourceOf,
  type Transport,
} from '../kubernetes/client/index.ts';
import { daemonSet, deployment, lease, type Node, node } from '../kubernetes/types/index.ts';
import { certainNamespace } from './installed-namespace.ts';

/** Kinds that the server does not serve are absent. */
export type FleetObjects = {
  readonly pools: Iterable<MachineConfigPool>;
  readonly nodes: Iterable<Node>;
  readonly machineConfigNodes?: Iterable<MachineConfigNode>;
  readonly machineOSConfigs?: Iterable<MachineOSConfig>;
  readonly machineOSBuilds?: Iterable<MachineOSBuild>;
  /** Both absent where the user may not read them. */
  readonly controllerConfigs?: Iterable<ControllerConfig>;
  readonly leaders?: LeaderLeases | undefined;
};

export function snapshotOf(objects: FleetObjects, nowMs: number): FleetSnapshot {
  return { ...objects, machineConfigNodes: objects.machineConfigNodes ?? [], nowMs };
}

/** Throws as `Kube` does. */
export async function listFleet(transport: Transport, env: Env): Promise<FleetObjects> {
  const kube = createKube({ transport, env, fieldManager: 'millwright' });
  const served = async <T extends AnyObject>(resource: ResourceOf<T>): Promise<readonly T[] | undefined> => {
    try {
      return (await kube.list(resource)).items;
    } catch (error) {
      if (error instanceof KubeError && error.code === 404) return undefined;
      throw error;
    }
  };
  const [pools, nodes, machineConfigNodes, machineOSConfigs, machineOSBuilds, controllerConfigs, leaders] =
    await Promise.all([
      served(machineConfigPool),
      served(node),
      served(machineConfigNode),
      served(machineOSConfig),
      served(machineOSBuild),
      // Who may see the fleet may not always read the settings of the cluster.
      served(controllerConfig).catch(unlessRefused),
      readLeaders(kube, env),
    ]);
  if (pools === undefined || nodes === undefined) {
    const message = 'the server does not serve MachineConfigPools: Millwright is not installed';
    throw new Failure('usage', 'NotInstalled', message);
  }
  return {
    pools,
    nodes,
    ...(machineConfigNodes === undefined ? {} : { machineConfigNodes }),
    ...(machineOSConfigs === undefined ? {} : { machineOSConfigs }),
    ...(machineOSBuilds === undefined ? {} : { machineOSBuilds }),
    ...(controllerConfigs === undefined ? {} : { controllerConfigs }),
    ...(leaders === undefined ? {} : { leaders }),
  };
}

/** `undefined` where the server refuses it. */
function unlessRefused(error: unknown): undefined {
  if (error instanceof KubeError) return undefined;
  throw error;
}

const LEADER_LEASES = [CONTROLLER_LEASE, OPERATOR_LEASE];

/** Read one by one: rights on Leases are often given by name. `undefined` where they cannot be read. */
async function readLeaders(kube: Kube, { clock }: Env): Promise<LeaderLeases | undefined> {
  try {
    const namespace = await certainNamespace(kube);
    if (namespace === undefined) return undefined;
    const leases = await Promise.all(LEADER_LEASES.map((name) => kube.get(lease, { name, namespace })));
    const workloads = await readWorkloads(kube, namespace);
    return {
      namespace,
      leases: leases.filter((one) => one !== undefined),
      readMs: clock.now(),
      ...(workloads === undefined ? {} : { workloads }),
    };
  } catch (error) {
    return unlessRefused(error);
  }
}

const DEPLOYMENTS = ['machine-config-controller', 'machine-config-operator'];

/** One by one, and `undefined`, as above. */
async function readWorkloads(kube: Kube, namespace: string): Promise<Workloads | undefined> {
  try {
    const [found, daemons] = await Promise.all([
      Promise.all(DEPLOYMENTS.map((name) => kube.get(deployment, { name, namespace }))),
      kube.get(daemonSet, { name: 'machine-config-daemon', namespace }),
    ]);
    return {
      deployments: found.filter((one) => one !== undefined),
      ...(daemons === undefined ? {} : { daemonSet: daemons }),
    };
  } catch (error) {
    return unlessRefused(error);
  }
}

export type WatchedFleet = {
  readonly objects: FleetObjects;
  /** Since when the server has been unreachable. */
  readonly unreachableSinceMs: () => number | undefined;
  readonly stop: () => Promise<void>;
};

/** Short, so that a live display recovers quickly. */
const RETRY = { baseMs: 500, factor: 2, capMs: 2_000, jitter: 0.2 };

/** Watches the kinds that were listed. `onChange` is called after every change. */
export async function watchFleet(
  transport: Transport,
  env: Env,
  { listed, onChange }: { readonly listed: FleetObjects; readonly onChange: () => void },
): Promise<WatchedFleet> {
  let unreachableSinceMs: number | undefined;
  const observed = withReachability(transport, (isReachable) => {
    if (isReachable === (unreachableSinceMs === undefined)) return;
    unreachableSinceMs = isReachable ? undefined : env.clock.now();
    onChange();
  });
  const caches = createCaches({ transport: observed, env, settings: { retry: RETRY } });
  const follow = async <T extends AnyObject>(resource: ResourceOf<T>): Promise<Iterable<T>> => {
    const cache = caches.of(resource);
    await cache.synced;
    cache.onChange(onChange);
    return { [Symbol.iterator]: () => cache.all()[Symbol.iterator]() };
  };
  const { machineConfigNodes, machineOSConfigs, machineOSBuilds, controllerConfigs } = listed;
  const polling = pollLeaders(createKube({ transport: observed, env, fieldManager: 'millwright' }), env, {
    first: listed.leaders,
    onChange,
  });
  const objects: FleetObjects = {
    pools: await follow(machineConfigPool),
    nodes: await follow(node),
    ...(machineConfigNodes && { machineConfigNodes: await follow(machineConfigNode) }),
    ...(machineOSConfigs && { machineOSConfigs: await follow(machineOSConfig) }),
    ...(machineOSBuilds && { machineOSBuilds: await follow(machineOSBuild) }),
    ...(controllerConfigs && { controllerConfigs: await follow(controllerConfig) }),
    get leaders() {
      return polling.leaders();
    },
  };
  const stop = async () => {
    await Promise.all([polling.stop(), caches.stop()]);
  };
  return { objects, unreachableSinceMs: () => unreachableSinceMs, stop };
}

/** As often as they are renewed. */
const LEASE_POLL_MS = 30_000;

/** Polled, not watched: who may get a Lease may not always watch it. Not at all where they could not be read. */
function pollLeaders(
  kube: Kube,
  env: Env,
  { first, onChange }: { readonly first: LeaderLeases | undefined; readonly onChange: () => void },
): { readonly leaders: () => LeaderLeases | undefined; readonly stop: () => Promise<void> } {
  let last = first;
  const stopping = new AbortController();
  const signal = AbortSignal.any([env.signal, stopping.signal]);
  const poll = async () => {
    while (last !== undefined && !signal.aborted) {
      await sleep(env.clock, { delayMs: LEASE_POLL_MS, signal });
      if (signal.aborted) return;
      // The last ones stay while the server is unreachable, which the watches report.
      last = (await readLeaders(kube, env).catch(() => undefined)) ?? last;
      onChange();
    }
  };
  const polled = poll();
  const stop = async () => {
    stopping.abort();
    await polled;
  };
  return { leaders: () => last, stop };
}

function withReachability(transport: Transport, report: (isReachable: boolean) => void): Transport {
  return {
    async send(request) {
      try {
        const response = await transport.send(request);
        report(true);
        return response;
      } catch (error) {
        if (error instanceof Failure && error.reason === 'Unreachable') report(false);
        throw error;
      }
    },
  };
}
