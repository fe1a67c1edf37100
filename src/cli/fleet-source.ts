/**
 * Reads the objects of a fleet status: listed once, or watched.
 */
import {
  type MachineConfigNode,
  type MachineConfigPool,
  type MachineOSBuild,
  type MachineOSConfig,
  machineConfigNode,
  machineConfigPool,
  machineOSBuild,
  machineOSConfig,
} from '../api/index.ts';
import type { Env } from '../base/env.ts';
import { Failure } from '../base/errors.ts';
import type { FleetSnapshot } from '../insight/index.ts';
import {
  type AnyObject,
  createCaches,
  createKube,
  KubeError,
  type ResourceOf,
  type Transport,
} from '../kubernetes/client/index.ts';
import { type Node, node } from '../kubernetes/types/index.ts';

/** Kinds that the server does not serve are absent. */
export type FleetObjects = {
  readonly pools: Iterable<MachineConfigPool>;
  readonly nodes: Iterable<Node>;
  readonly machineConfigNodes?: Iterable<MachineConfigNode>;
  readonly machineOSConfigs?: Iterable<MachineOSConfig>;
  readonly machineOSBuilds?: Iterable<MachineOSBuild>;
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
  const [pools, nodes, machineConfigNodes, machineOSConfigs, machineOSBuilds] = await Promise.all([
    served(machineConfigPool),
    served(node),
    served(machineConfigNode),
    served(machineOSConfig),
    served(machineOSBuild),
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
  };
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
  const { machineConfigNodes, machineOSConfigs, machineOSBuilds } = listed;
  const objects: FleetObjects = {
    pools: await follow(machineConfigPool),
    nodes: await follow(node),
    ...(machineConfigNodes && { machineConfigNodes: await follow(machineConfigNode) }),
    ...(machineOSConfigs && { machineOSConfigs: await follow(machineOSConfig) }),
    ...(machineOSBuilds && { machineOSBuilds: await follow(machineOSBuild) }),
  };
  return { objects, unreachableSinceMs: () => unreachableSinceMs, stop: () => caches.stop() };
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
