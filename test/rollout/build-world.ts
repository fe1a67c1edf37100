/**
 * A cluster for stories, independent of clock and transport: `world.ts` builds one in
 * memory and in virtual time, `http-world.ts` one behind real sockets.
 */
import {
  type MachineConfig,
  type MachineConfigPool,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
} from '../../src/api/index.ts';
import type { Env } from '../../src/base/env.ts';
import type { ApiServer, Store } from '../../src/embedded/apiserver/index.ts';
import type { Kube } from '../../src/kubernetes/client/index.ts';
import { type Node, node as nodeKind } from '../../src/kubernetes/types/index.ts';
import type { VirtualEnv } from '../support/virtual-env.ts';
import type { ControllerOptions } from './control.ts';
import type { DaemonScript } from './scripted-daemons.ts';
import type { ProcessParts, Running, Wrap } from './world-process.ts';

export type World<E extends Env = VirtualEnv> = Ground<E> & {
  readonly node: (name: string) => Promise<Node>;
  readonly pool: (name: string) => Promise<MachineConfigPool>;
  readonly pools: () => Promise<readonly MachineConfigPool[]>;
  readonly nodes: () => Promise<readonly Node[]>;
  /** Lets time pass until the pools are updated. */
  readonly untilUpdated: (names: readonly string[], limitMs: number) => Promise<void>;
  readonly apply: (config: MachineConfig) => Promise<void>;
};

/** The differences between the implementations. */
export type Ground<E extends Env> = {
  readonly env: E;
  /** Of an administrator. */
  readonly kube: Kube;
  readonly store: Store;
  readonly server: ApiServer;
  /** Starts our controllers; `wrap` may intercept their requests. Returns their process. */
  readonly startControllers: (wrap?: Wrap, options?: ControllerOptions) => Promise<Running>;
  /** The same, but they act only while they hold the Lease. */
  readonly startCandidate: (identity: string, wrap?: Wrap) => Promise<Running>;
  readonly startDaemons: (script?: Partial<DaemonScript>) => Promise<Running>;
  /** Anything else that lives in the cluster. */
  readonly startOther: (run: (parts: ProcessParts) => Promise<void>, wrap?: Wrap) => Running;
  readonly until: (what: string, holds: () => Promise<boolean>, limitMs: number) => Promise<void>;
  readonly stop: () => Promise<void>;
};

export type WorldOptions = {
  readonly masters?: number;
  readonly workers?: number;
  readonly seed?: number;
};

export function buildWorld<E extends Env>(ground: Ground<E>): World<E> {
  const { kube, until } = ground;
  return {
    ...ground,
    node: async (name) => found(await kube.get(nodeKind, { name }), name),
    pool: async (name) => found(await kube.get(machineConfigPoolKind, { name }), name),
    pools: async () => (await kube.list(machineConfigPoolKind)).items,
    nodes: async () => (await kube.list(nodeKind)).items,
    async untilUpdated(names, limitMs) {
      const isUpdated = async () => {
        const pools = await Promise.all(names.map((name) => kube.get(machineConfigPoolKind, { name })));
        return pools.every((pool) => pool !== undefined && isPoolUpdated(pool));
      };
      await until(`${names.join(' and ')} updated`, isUpdated, limitMs);
    },
    apply: async (config) => {
      await kube.apply(machineConfigKind, config);
    },
  };
}

/** Updated, with a status of the current spec, and no node is joining, cordoned or down. */
export function isPoolUpdated({ metadata, spec, status }: MachineConfigPool): boolean {
  return (
    status?.conditions?.find(({ type }) => type === 'Updated')?.status === 'True' &&
    status.configuration?.name === spec.configuration?.name &&
    status.observedGeneration === metadata.generation &&
    status.readyMachineCount === status.machineCount
  );
}

/** The nodes of a new cluster. */
export async function createNodes(
  kube: Kube,
  { masters = 3, workers = 3 }: WorldOptions,
): Promise<readonly string[]> {
  const names: string[] = [];
  const create = async (name: string, roles: readonly string[]) => {
    await kube.create(nodeKind, aNode(name, roles));
    names.push(name);
  };
  for (let index = 0; index < masters; index++) await create(`master-${index}`, ['master', 'control-plane']);
  for (let index = 0; index < workers; index++) await create(`worker-${index}`, ['worker']);
  return names;
}

export function aNode(name: string, roles: readonly string[]): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/os': 'linux',
        ...Object.fromEntries(roles.map((role) => [`node-role.kubernetes.io/${role}`, ''])),
      },
    },
    spec: {},
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

export function aMachineConfig(name: string, role: string, text: string): MachineConfig {
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name, labels: { 'machineconfiguration.openshift.io/role': role } },
    spec: {
      config: {
        ignition: { version: '3.4.0' },
        storage: {
          files: [
            { path: `/etc/${name}`, mode: 420, contents: { source: `data:,${encodeURIComponent(text)}` } },
          ],
        },
      },
    },
  };
}

function found<T>(object: T | undefined, name: string): T {
  if (object === undefined) throw new Error(`there is no ${name}`);
  return object;
}
