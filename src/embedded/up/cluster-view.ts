/**
 * Caches of the objects that `up` waits for and reports, and waiting for their state.
 */
import {
  type MachineConfig,
  type MachineConfigNode,
  type MachineConfigPool,
  type MachineOSBuild,
  machineConfig as machineConfigKind,
  machineConfigNode as machineConfigNodeKind,
  machineConfigPool as machineConfigPoolKind,
  machineOSBuild as machineOSBuildKind,
  NAMESPACE,
} from '../../api/index.ts';
import type { Env } from '../../base/env.ts';
import { Failure, formatProblem } from '../../base/errors.ts';
import { onAbort } from '../../base/waiting.ts';
import {
  type Cache,
  createCaches,
  createInProcessTransport,
  createKube,
  type Kube,
} from '../../kubernetes/client/index.ts';
import {
  type Job,
  job as jobKind,
  type Node,
  node as nodeKind,
  type Pod,
  pod as podKind,
} from '../../kubernetes/types/index.ts';
import { type NodeConfig, readNodeConfig } from '../../node/plan/index.ts';
import type { ApiServer } from '../apiserver/index.ts';

export type ClusterView = {
  readonly kube: Kube;
  readonly pools: Cache<MachineConfigPool>;
  readonly nodes: Cache<Node>;
  readonly machineConfigNodes: Cache<MachineConfigNode>;
  readonly pods: Cache<Pod>;
  readonly jobs: Cache<Job>;
  readonly machineOSBuilds: Cache<MachineOSBuild>;
  readonly pod: (reference: { readonly namespace: string; readonly name: string }) => Pod | undefined;
  /** Called after every change of a cached object. */
  readonly onChange: (listener: () => void) => void;
  /** Re-evaluates pending waits after a change outside of the caches. */
  readonly recheck: () => void;
  /** True once the condition holds, false once the signal is aborted. Evaluated after every change. */
  readonly until: (condition: () => boolean, signal: AbortSignal) => Promise<boolean>;
  /** The rendered config of a pool, as soon as it has one. */
  readonly poolConfig: (pool: string) => Promise<NodeConfig>;
  /** True once that many nodes are Ready and all pools Updated. */
  readonly allUpdated: (nodes: number, options: WaitOptions) => Promise<boolean>;
  readonly stop: () => Promise<void>;
};

type WaitOptions = { readonly signal: AbortSignal; readonly progress: (line: string) => void };

export const UNLIMITED = { rate: { perSecond: 1_000_000, burst: 1_000_000 } };
const USER = { name: 'system:admin', groups: ['system:masters'] };

type ClusterViewOptions = { readonly handle: ApiServer['handle']; readonly env: Env };

export function createClusterView({ handle, env }: ClusterViewOptions): ClusterView {
  const transport = createInProcessTransport({ handle, user: USER });
  const kube = createKube({ transport, env, fieldManager: 'millwright', limits: UNLIMITED });
  const caches = createCaches({ transport, env, limits: UNLIMITED });
  const pools = caches.of(machineConfigPoolKind);
  const nodes = caches.of(nodeKind);
  const machineConfigNodes = caches.of(machineConfigNodeKind);
  const pods = caches.of(podKind);
  const jobs = caches.of(jobKind, { namespace: NAMESPACE });
  const machineOSBuilds = caches.of(machineOSBuildKind);
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of [...listeners]) listener();
  };
  for (const cache of [pools, nodes, machineConfigNodes, pods, jobs, machineOSBuilds]) {
    cache.onChange(notify);
    // Users of the cache await it; at shutdown a rejection is expected.
    cache.synced.catch(() => undefined);
  }
  const until: ClusterView['until'] = (condition, signal) => waitUntil(listeners, condition, signal);
  return {
    kube,
    pools,
    nodes,
    machineConfigNodes,
    pods,
    jobs,
    machineOSBuilds,
    until,
    recheck: notify,
    pod: (reference) => pods.get(reference),
    onChange: (listener) => listeners.add(listener),
    async poolConfig(pool) {
      const configName = () => pools.get({ name: pool })?.spec.configuration?.name ?? '';
      await until(() => configName() !== '', env.signal);
      const name = configName();
      return parseConfig(name, await kube.get(machineConfigKind, { name }));
    },
    allUpdated(count, { signal, progress }) {
      let lastLine = '';
      return until(() => {
        const { isUpdated, line } = fleetProgress([...nodes.all()], [...pools.all()], count);
        if (line !== lastLine && count > 0) progress(line);
        lastLine = line;
        return isUpdated;
      }, signal);
    },
    stop: () => caches.stop(),
  };
}

function waitUntil(
  listeners: Set<() => void>,
  condition: () => boolean,
  signal: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve) => {
    let removeAbortListener = () => {};
    const settle = (isMet: boolean) => {
      listeners.delete(check);
      removeAbortListener();
      resolve(isMet);
    };
    const check = () => {
      if (condition()) settle(true);
    };
    listeners.add(check);
    removeAbortListener = onAbort(signal, () => settle(false));
    check();
  });
}

function parseConfig(name: string, machineConfig: MachineConfig | undefined): NodeConfig {
  const parsed = readNodeConfig(machineConfig);
  if (parsed.kind === 'ok') return parsed.value;
  const problems = parsed.problems.map(formatProblem).join('; ');
  throw new Failure('stalled', 'ConfigUnusable', `${name}: ${problems}`);
}

const BUILT_IN_POOLS = ['master', 'worker'];

function fleetProgress(nodes: readonly Node[], pools: readonly MachineConfigPool[], count: number) {
  const ready = nodes.filter((node) => hasCondition(node.status, 'Ready')).length;
  const updated = pools.filter((pool) => hasCondition(pool.status, 'Updated'));
  // A pool is Updated while nodes are still joining it.
  const machines = updated.reduce((sum, { status }) => sum + (status?.updatedMachineCount ?? 0), 0);
  const isUpdated =
    ready >= count &&
    machines >= count &&
    BUILT_IN_POOLS.every((name) => updated.some(({ metadata }) => metadata.name === name));
  return {
    isUpdated,
    line: `${ready} of ${count} nodes are Ready, with the config of their pool: ${machines}`,
  };
}

type WithConditions = {
  readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
};

function hasCondition(status: WithConditions | undefined, type: string): boolean {
  return status?.conditions?.some((one) => one.type === type && one.status === 'True') === true;
}
