/**
 * A cluster in memory and virtual time for integration tests, with the workload controllers and scripted pods.
 */
import { createApiServer, createMemoryStore } from '../../src/embedded/apiserver/index.ts';
import {
  createWorkloadControllers,
  type WorkloadSettings,
  workloadSettings,
} from '../../src/embedded/controllers/index.ts';
import {
  type AnyObject,
  type Cache,
  type Controller,
  createCaches,
  createInProcessTransport,
  createKube,
  done,
  type Kube,
  type ResourceOf,
  runControllers,
} from '../../src/kubernetes/client/index.ts';
import {
  configMap,
  daemonSet,
  deployment,
  job,
  namespace,
  node,
  type Pod,
  pod,
  podDisruptionBudget,
  replicaSet,
  serviceAccount,
} from '../../src/kubernetes/types/index.ts';
import { NAMESPACE } from './build-workloads.ts';
import { type Unreliability, unreliableTransport } from './unreliable-transport.ts';
import { type VirtualEnv, virtualEnv } from './virtual-env.ts';

export type WorkloadCluster = {
  readonly env: VirtualEnv;
  readonly kube: Kube;
  /** The current objects, over a reliable transport. */
  readonly cacheOf: <T extends AnyObject>(resource: ResourceOf<T>) => Cache<T>;
  /** Advances time until the predicate holds. */
  readonly until: (isSo: () => boolean, limitMs?: number) => Promise<void>;
  /** Advances time until the request completes. */
  readonly ask: <R>(request: Promise<R>) => Promise<R>;
  /** Ends a pod. */
  readonly end: (pod: Pod, phase: PodEnd) => Promise<void>;
  readonly stop: () => Promise<void>;
};

export type WorkloadClusterOptions = {
  readonly seed?: number;
  readonly settings?: Partial<WorkloadSettings>;
  /** Whether a pod becomes ready; all do by default. */
  readonly becomesReady?: (pod: Pod) => boolean;
  /** Faults between the controllers and the server; none by default. */
  readonly unreliability?: Omit<Unreliability, 'random' | 'clock'>;
};

const LIMITS = { rate: { perSecond: 1_000_000, burst: 1_000_000 } };
const LIMIT_MS = 30 * 60_000;
const SEEN: readonly ResourceOf<AnyObject>[] = [
  ...[configMap, daemonSet, deployment, job, namespace, node, pod, podDisruptionBudget, replicaSet],
  serviceAccount,
];

/** Starts it with one namespace and its ServiceAccount. */
export async function startWorkloadCluster(options: WorkloadClusterOptions = {}): Promise<WorkloadCluster> {
  const { seed = 1, becomesReady = () => true } = options;
  const env = virtualEnv({ seed });
  const store = createMemoryStore();
  const server = await createApiServer({ store, env, tokenKey: new Uint8Array(32) });
  const safe = createInProcessTransport({
    handle: (request) => server.handle(request),
    user: { name: 'admin', groups: ['system:masters'] },
  });
  const { unreliability } = options;
  const transport =
    unreliability === undefined
      ? safe
      : unreliableTransport(safe, { ...unreliability, random: env.random, clock: env.clock });
  const kube = createKube({ transport: safe, env, fieldManager: 'story', limits: LIMITS });
  const acting = createKube({ transport, env, fieldManager: 'controller', limits: LIMITS });
  const caches = createCaches({ transport: safe, env, limits: LIMITS });
  const actingCaches = createCaches({ transport, env, limits: LIMITS });
  const settings = { ...workloadSettings({ authorityPem: 'PEM' }), ...options.settings };
  const controllers = [
    ...createWorkloadControllers({ kube: acting, caches: actingCaches, env, settings }),
    obedientPods({ kube, env, pods: caches.of(pod) }, becomesReady),
  ];
  const running = runControllers(controllers, { env });
  const until: WorkloadCluster['until'] = (isSo, limitMs = LIMIT_MS) => env.clock.advanceUntil(isSo, limitMs);
  const ask: WorkloadCluster['ask'] = (request) => env.clock.resolved(request, LIMIT_MS);
  // A cache created during a test would be empty at first.
  await ask(Promise.all(SEEN.map((resource) => caches.of(resource).synced)));
  await ask(createNamespace(kube));
  const accounts = caches.of(serviceAccount);
  await until(() => accounts.get({ namespace: NAMESPACE, name: 'default' }) !== undefined);
  return {
    ...{ env, kube, until, ask },
    cacheOf: (resource) => caches.of(resource),
    end: (one, phase) => ask(setPodStatus({ kube, env }, one, phase)),
    async stop() {
      env.stop();
      await ask(running);
      await Promise.all([caches.stop(), actingCaches.stop()]);
      await server.close();
      await store.close();
    },
  };
}

function createNamespace(kube: Kube) {
  return kube.create(namespace, {
    ...{ apiVersion: 'v1', kind: 'Namespace' },
    metadata: { name: NAMESPACE },
  });
}

/** Replaces the kubelet: new pods run at once, and deleted pods are removed at once. */
function obedientPods(
  { kube, env, pods }: { readonly kube: Kube; readonly env: VirtualEnv; readonly pods: Cache<Pod> },
  becomesReady: (pod: Pod) => boolean,
): Controller {
  return {
    name: 'obedient-pods',
    workers: 4,
    caches: [pods],
    watch: (enqueue) =>
      pods.onChange(({ after }) => {
        if (after !== undefined) enqueue(`${after.metadata.namespace}/${after.metadata.name}`);
      }),
    async reconcile(key) {
      const [namespaceName = '', name = ''] = key.split('/');
      const place = { namespace: namespaceName, name };
      const one = pods.get(place);
      if (one?.metadata.deletionTimestamp !== undefined) {
        await kube.delete(pod, place, { gracePeriodSeconds: 0 });
      } else if (one?.status?.phase === 'Pending' && becomesReady(one)) {
        await setPodStatus({ kube, env }, one, 'Running');
      }
      return done;
    },
  };
}

type PodEnd = 'Succeeded' | 'Failed';

async function setPodStatus(
  { kube, env }: { readonly kube: Kube; readonly env: VirtualEnv },
  { metadata }: Pod,
  phase: 'Running' | PodEnd,
): Promise<void> {
  const { name, namespace: space = '', resourceVersion } = metadata;
  const lastTransitionTime = new Date(env.clock.now()).toISOString().replace(/\.\d+Z/, 'Z');
  const ready = { type: 'Ready', status: phase === 'Running' ? 'True' : 'False', lastTransitionTime };
  const body = { metadata: { resourceVersion }, status: { phase, conditions: [ready] } };
  const patch = { type: 'merge', body } as const;
  await kube.patch(pod, { name, namespace: space }, patch, { subresource: 'status' });
}
