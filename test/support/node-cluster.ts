/**
 * A cluster in memory and in virtual time for integration tests: the API server, simulated nodes and their controllers.
 */
import { createApiServer, createMemoryStore } from '../../src/embedded/apiserver/index.ts';
import {
  createNodeControllers,
  createWorkloadControllers,
  type NodeSettings,
  nodeSettings,
  type SimulatedNode,
  workloadSettings,
} from '../../src/embedded/controllers/index.ts';
import {
  type Cache,
  createCaches,
  createInProcessTransport,
  createKube,
  type Kube,
  runControllers,
  type Transport,
} from '../../src/kubernetes/client/index.ts';
import { type Node, node, type Pod, pod, serviceAccount } from '../../src/kubernetes/types/index.ts';
import { SimulatedMachines } from './simulated-machines.ts';
import { type Unreliability, unreliableTransport } from './unreliable-transport.ts';
import { type VirtualEnv, virtualEnv } from './virtual-env.ts';

export type NodeCluster = {
  readonly env: VirtualEnv;
  readonly kube: Kube;
  readonly power: SimulatedMachines;
  /** The current objects, over a reliable transport. */
  readonly pods: Cache<Pod>;
  readonly nodes: Cache<Node>;
  /** The changes of pods and nodes in order, with their times. */
  readonly trace: readonly string[];
  /** Advances time until the request completes. */
  readonly ask: <R>(request: Promise<R>) => Promise<R>;
  /** Restarts the process of all controllers. */
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

export type NodeClusterOptions = {
  readonly nodes: readonly SimulatedNode[];
  readonly settings?: Partial<NodeSettings>;
  readonly seed?: number;
  /** Also runs the workload controllers: Deployments, budgets and others. */
  readonly hasWorkloads?: boolean;
  /** Drops events: they are half of all requests, and most tests do not read them. */
  readonly isQuiet?: boolean;
  /** Faults between the controllers and the server; none by default. */
  readonly unreliability?: Omit<Unreliability, 'random' | 'clock'>;
};

/** Effectively no rate limit. */
const LIMITS = { rate: { perSecond: 1_000_000, burst: 1_000_000 } };
const LIMIT_MS = 10 * 60_000;

/** Resolves once all nodes are ready. */
export async function startNodeCluster(options: NodeClusterOptions): Promise<NodeCluster> {
  const { seed = 1, unreliability } = options;
  const env = virtualEnv({ seed });
  const store = createMemoryStore();
  const server = await createApiServer({ store, env, tokenKey: new Uint8Array(32) });
  const safe = createInProcessTransport({
    handle: (request) => server.handle(request),
    user: { name: 'admin', groups: ['system:masters'] },
  });
  const transport =
    unreliability === undefined
      ? safe
      : unreliableTransport(safe, { ...unreliability, random: env.random, clock: env.clock });
  const kube = createKube({ transport: safe, env, fieldManager: 'story', limits: LIMITS });
  await kube.create(serviceAccount, {
    ...{ apiVersion: 'v1', kind: 'ServiceAccount' },
    metadata: { name: 'default', namespace: 'default' },
  });
  const caches = createCaches({ transport: safe, env, limits: LIMITS });
  const pods = caches.of(pod);
  const nodes = caches.of(node);
  const trace = traceOf(env, pods, nodes);
  const power = new SimulatedMachines(env.random);
  let end = startControllers(options, { env, transport, power });
  await env.clock.advanceUntil(
    () => [...nodes.all()].filter(isReady).length === options.nodes.length,
    LIMIT_MS,
  );
  return {
    ...{ env, kube, power, pods, nodes, trace },
    ask: (request) => env.clock.resolved(request, LIMIT_MS),
    async restart() {
      await end();
      end = startControllers(options, { env, transport, power });
    },
    async stop() {
      await end();
      env.stop();
      await caches.stop();
      await server.close();
      await store.close();
    },
  };
}

type World = { readonly env: VirtualEnv; readonly transport: Transport; readonly power: SimulatedMachines };

/** Returns a function that stops them. */
function startControllers(
  { nodes, settings, hasWorkloads = false, isQuiet = false }: NodeClusterOptions,
  { env: outer, transport, power }: World,
): () => Promise<void> {
  const ending = new AbortController();
  const env = { ...outer, signal: ending.signal };
  const kube = createKube({ transport, env, fieldManager: 'cluster', limits: LIMITS });
  const caches = createCaches({ transport, env, limits: LIMITS });
  const context = { kube, caches, env };
  const quiet = isQuiet ? { events: () => ({ normal: nothing, warning: nothing }) } : {};
  const options = { nodes, power, settings: { ...nodeSettings(), ...settings }, ...quiet };
  const running = runControllers(
    [
      ...createNodeControllers({ ...context, ...options }),
      ...(hasWorkloads
        ? createWorkloadControllers({ ...context, settings: workloadSettings({ authorityPem: '' }) })
        : []),
    ],
    { env },
  );
  return async () => {
    ending.abort();
    await env.clock.resolved(Promise.all([running, caches.stop()]), LIMIT_MS);
  };
}

function isReady({ status, spec }: Node): boolean {
  const isTrue = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
  return isTrue === true && !(spec.taints ?? []).some(({ key }) => key === 'node.kubernetes.io/not-ready');
}

function traceOf({ clock }: VirtualEnv, pods: Cache<Pod>, nodes: Cache<Node>): readonly string[] {
  const trace: string[] = [];
  const note = (text: string) => trace.push(`${clock.monotonic()} ${text}`);
  pods.onChange(({ before, after }) => {
    const { name } = (after ?? before)?.metadata ?? {};
    const ready = after?.status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? '-';
    const isLeaving = after?.metadata.deletionTimestamp === undefined ? '' : 'leaving ';
    const text = `${isLeaving}${after?.status?.phase} ${after?.spec.nodeName ?? '-'} ready=${ready}`;
    note(`pod ${name} ${after === undefined ? 'gone' : text}`);
  });
  nodes.onChange(({ before, after }) => {
    const { name } = (after ?? before)?.metadata ?? {};
    const ready = after?.status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? '-';
    const taints = (after?.spec.taints ?? []).map(({ key, effect }) => ` ${key}:${effect}`).join('');
    note(`node ${name} ${after === undefined ? 'gone' : `ready=${ready}${taints}`}`);
  });
  return trace;
}

function nothing(): void {}
