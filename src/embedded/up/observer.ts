/**
 * Somebody who sees everything: what `up` waits for, and what it tells of.
 */
import {
  type MachineConfigNode,
  type MachineConfigPool,
  machineConfig as machineConfigKind,
  machineConfigNode as machineConfigNodeKind,
  machineConfigPool as machineConfigPoolKind,
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
import { type Node, node as nodeKind, type Pod, pod as podKind } from '../../kubernetes/types/index.ts';
import { type NodeConfig, readNodeConfig } from '../../node/plan/index.ts';
import type { ApiServer } from '../apiserver/index.ts';

export type Observer = {
  readonly kube: Kube;
  readonly pools: Cache<MachineConfigPool>;
  readonly nodes: Cache<Node>;
  readonly machineConfigNodes: Cache<MachineConfigNode>;
  readonly pods: Cache<Pod>;
  readonly pod: (place: { readonly namespace: string; readonly name: string }) => Pod | undefined;
  /** Called after anything of it has changed. */
  readonly onChange: (call: () => void) => void;
  /** Something else has changed that somebody may wait for. */
  readonly look: () => void;
  /** True once it holds, false once the signal is aborted. Looked at whenever something has changed. */
  readonly until: (holds: () => boolean, signal: AbortSignal) => Promise<boolean>;
  /** The config of a pool, as soon as it has one. */
  readonly poolConfig: (pool: string) => Promise<NodeConfig>;
  /** True once so many nodes are Ready and all pools Updated. */
  readonly allUpdated: (nodes: number, waiting: Waiting) => Promise<boolean>;
  readonly stop: () => Promise<void>;
};

type Waiting = { readonly signal: AbortSignal; readonly progress: (line: string) => void };

export const UNLIMITED = { rate: { perSecond: 1_000_000, burst: 1_000_000 } };
const USER = { name: 'system:admin', groups: ['system:masters'] };

export function createObserver({
  handle,
  env,
}: {
  readonly handle: ApiServer['handle'];
  readonly env: Env;
}): Observer {
  const transport = createInProcessTransport({ handle, user: USER });
  const kube = createKube({ transport, env, fieldManager: 'millwright', limits: UNLIMITED });
  const caches = createCaches({ transport, env, limits: UNLIMITED });
  const pools = caches.of(machineConfigPoolKind);
  const nodes = caches.of(nodeKind);
  const machineConfigNodes = caches.of(machineConfigNodeKind);
  const pods = caches.of(podKind);
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of [...listeners]) listener();
  };
  for (const cache of [pools, nodes, machineConfigNodes, pods]) {
    cache.onChange(tell);
    // Whoever needs it waits for it; that it ends with us is no news.
    cache.synced.catch(() => undefined);
  }
  const until: Observer['until'] = (holds, signal) =>
    new Promise((resolve) => {
      const settle = (isThere: boolean) => {
        listeners.delete(look);
        forget();
        resolve(isThere);
      };
      const look = () => {
        if (holds()) settle(true);
      };
      listeners.add(look);
      let forget = () => {};
      forget = onAbort(signal, () => settle(false));
      look();
    });
  return {
    ...{ kube, pools, nodes, machineConfigNodes, pods, until, look: tell },
    pod: (place) => pods.get(place),
    onChange: (call) => listeners.add(call),
    async poolConfig(pool) {
      const nameOf = () => pools.get({ name: pool })?.spec.configuration?.name ?? '';
      await until(() => nameOf() !== '', env.signal);
      const found = await kube.get(machineConfigKind, { name: nameOf() });
      const read = readNodeConfig(found);
      if (read.kind === 'ok') return read.value;
      throw new Failure(
        'stalled',
        'ConfigUnusable',
        `${nameOf()}: ${read.problems.map(formatProblem).join('; ')}`,
      );
    },
    allUpdated: (count, { signal, progress }) => {
      let said = '';
      return until(() => {
        const ready = [...nodes.all()].filter(isReady).length;
        const updated = [...pools.all()].filter(isUpdated);
        const machines = updated.reduce((sum, { status }) => sum + (status?.machineCount ?? 0), 0);
        const line = `${ready} of ${count} nodes are ready, ${machines} have the config of their pool`;
        if (line !== said && count > 0) progress(line);
        said = line;
        return (
          ready >= count &&
          machines >= count &&
          BUILT_IN.every((name) => updated.some((one) => one.metadata.name === name))
        );
      }, signal);
    },
    stop: () => caches.stop(),
  };
}

const BUILT_IN = ['master', 'worker'];

function isReady({ status }: Node): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
}

function isUpdated({ status }: MachineConfigPool): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Updated' && is === 'True') === true;
}
