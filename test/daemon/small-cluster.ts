/**
 * The smallest cluster for a daemon: the embedded API server with its admission policies, the real drain controller,
 * and an administrator who sets desired configs.
 */

import {
  annotations,
  type MachineConfig,
  type MachineConfigNode,
  machineConfig as machineConfigKind,
  machineConfigNode as machineConfigNodeKind,
  NAMESPACE,
} from '../../src/api/index.ts';
import { createControllers, DEFAULT_SETTINGS } from '../../src/controllers/index.ts';
import { type ApiServer, createApiServer } from '../../src/embedded/apiserver/index.ts';
import {
  type Cache,
  createCaches,
  createEventRecorder,
  createInProcessTransport,
  createKube,
  type Kube,
  runControllers,
} from '../../src/kubernetes/client/index.ts';
import { Metrics } from '../../src/kubernetes/metrics/index.ts';
import {
  type Node,
  node as nodeKind,
  serviceAccount as serviceAccountKind,
} from '../../src/kubernetes/types/index.ts';
import { type NodeConfig, readNodeConfig } from '../../src/node/plan/index.ts';
import { ComponentMetrics } from '../../src/processes/component-metrics.ts';
import { RELEASE } from '../rollout/control.ts';
import { AFTER_INSTALLATION_MS, installedStore } from '../support/installed-store.ts';
import { type VirtualEnv, virtualEnv } from '../support/virtual-env.ts';

export type SmallCluster = {
  readonly env: VirtualEnv;
  readonly kube: Kube;
  readonly handle: ApiServer['handle'];
  /** From the administrator's caches. */
  readonly nodes: Cache<Node>;
  readonly machineConfigNodes: Cache<MachineConfigNode>;
  readonly node: (name: string) => Promise<Node>;
  readonly machineConfigNode: (name: string) => Promise<MachineConfigNode>;
  readonly annotation: (name: string, key: keyof typeof annotations) => Promise<string>;
  readonly addNode: (name: string, initial?: { readonly [key: string]: string }) => Promise<void>;
  readonly addConfig: (config: MachineConfig) => Promise<NodeConfig>;
  readonly send: (name: string, config: string) => Promise<void>;
  readonly until: (what: string, holds: () => Promise<boolean>, limitMs?: number) => Promise<void>;
  readonly untilDone: (name: string, config: string, limitMs?: number) => Promise<void>;
  readonly stop: () => Promise<void>;
};

const LIMITS = { rate: { perSecond: 1_000_000, burst: 1_000_000 } };
const ADMIN = { name: 'admin', groups: ['system:masters'] };
const MINUTE = 60_000;

export type SmallClusterOptions = {
  readonly seed?: number;
  /** No further nodes: with one node there is nowhere to drain to. */
  readonly isAlone?: boolean;
};

export async function startSmallCluster(options: SmallClusterOptions = {}): Promise<SmallCluster> {
  const { seed = 1, isAlone = false } = options;
  const env = virtualEnv({ seed });
  const { clock } = env;
  const store = await installedStore({ events: 20_000, bytes: 32 * 1024 * 1024 });
  const server = await createApiServer({ store, env, tokenKey: new Uint8Array(32) });
  const { handle } = server;
  await clock.advance(AFTER_INSTALLATION_MS);
  const transport = createInProcessTransport({ handle, user: ADMIN });
  const kube = createKube({ transport, env, fieldManager: 'story', limits: LIMITS });
  const caches = createCaches({ transport, env, limits: LIMITS, settings: {} });
  const context = {
    kube,
    caches,
    env,
    settings: DEFAULT_SETTINGS,
    release: RELEASE,
    eventsOf: (component: string, namespace: string = NAMESPACE) =>
      createEventRecorder({ kube, env, component, namespace }),
    metrics: new Metrics(ComponentMetrics.definitions('controller')),
  };
  const drain = createControllers(context, { templates: new Map(), roles: [] }).filter(
    ({ name }) => name === 'drain',
  );
  const nodes = caches.of(nodeKind);
  const machineConfigNodes = caches.of(machineConfigNodeKind);
  const running = runControllers(drain, { env });
  running.catch(() => undefined);
  const until: SmallCluster['until'] = async (what, holds, limitMs = 10 * MINUTE) => {
    const end = clock.monotonic() + limitMs;
    while (!(await holds())) {
      if (clock.monotonic() > end) throw new Error(`${what}: not within ${limitMs} ms of virtual time`);
      await clock.advance(500);
    }
  };
  const node = async (name: string) => needed(await kube.get(nodeKind, { name }), name);
  const annotation: SmallCluster['annotation'] = async (name, key) =>
    (await node(name)).metadata.annotations?.[annotations[key]] ?? '';
  const cluster: SmallCluster = {
    env,
    kube,
    handle,
    node,
    annotation,
    until,
    nodes,
    machineConfigNodes,
    machineConfigNode: async (name) => needed(await kube.get(machineConfigNodeKind, { name }), name),
    addNode: (name, initial) => addNode(kube, name, initial),
    async addConfig(config) {
      if ((await kube.get(machineConfigKind, { name: config.metadata.name })) === undefined) {
        await kube.create(machineConfigKind, config);
      }
      return nodeConfig(config);
    },
    send: (name, config) => send(kube, name, config),
    async untilDone(name, config, limitMs) {
      const isDone = async () =>
        (await annotation(name, 'currentConfig')) === config &&
        (await annotation(name, 'state')) === 'Done' &&
        conditionOf(await cluster.machineConfigNode(name), 'Updated')?.status === 'True';
      await until(`${name} has ${config}`, isDone, limitMs);
    },
    async stop() {
      env.stop();
      await clock.advance(MINUTE);
      await running;
      await server.close();
      await store.close();
    },
  };
  // Normally created by a controller; pods need it.
  await kube.create(serviceAccountKind, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default', namespace: 'default' },
  });
  if (!isAlone) await addNode(kube, 'another', {});
  return cluster;
}

export function conditionOf({ status }: MachineConfigNode, type: string) {
  return status?.conditions?.find((one) => one.type === type);
}

export function nodeConfig(config: MachineConfig): NodeConfig {
  const outcome = readNodeConfig(config);
  if (outcome.kind === 'ok') return outcome.value;
  throw new Error(JSON.stringify(outcome.problems));
}

async function addNode(
  kube: Kube,
  name: string,
  initial: { readonly [key: string]: string } = {},
): Promise<void> {
  const created = await kube.create(nodeKind, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'node-role.kubernetes.io/worker': '' }, annotations: initial },
    spec: {},
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  });
  await kube.create(machineConfigNodeKind, {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfigNode',
    metadata: {
      name,
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid: created.metadata.uid ?? '' }],
    },
    spec: {
      node: { name },
      pool: { name: 'worker' },
      configVersion: { desired: initial[annotations.desiredConfig] ?? 'not-yet-set' },
    },
  });
}

/** Like the node controller: the MachineConfigNode first. */
async function send(kube: Kube, name: string, config: string): Promise<void> {
  const spec = { configVersion: { desired: config } };
  await kube.patch(machineConfigNodeKind, { name }, { type: 'merge', body: { spec } });
  const initial = { [annotations.desiredConfig]: config };
  await kube.patch(nodeKind, { name }, { type: 'merge', body: { metadata: { annotations: initial } } });
}

function needed<T>(object: T | undefined, name: string): T {
  if (object === undefined) throw new Error(`there is no ${name}`);
  return object;
}
