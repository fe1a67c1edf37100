/**
 * A cluster in memory and in virtual time, in which our controllers roll out and scripted daemons follow.
 *
 * Nothing here is faked but the machines: the API server, the client, the caches, the controllers and their loop are the
 * real ones. What happens is written down as it is stored, so a story can be judged by every state that ever was.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type MachineConfig,
  type MachineConfigPool,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
} from '../../src/api/index.ts';
import { type ApiServer, createApiServer, createMemoryStore, type Store } from '../../src/apiserver/index.ts';
import { type Node, node as nodeKind } from '../../src/builtin/index.ts';
import { installManifests } from '../../src/cli/install-manifests.ts';
import {
  type Context,
  type ControllerSettings,
  createControllers,
  createOperator,
  DEFAULT_SETTINGS,
} from '../../src/controllers/index.ts';
import {
  type Caches,
  createInProcessTransport,
  createKube,
  guardedTransport,
  type Kube,
  type LeaseSettings,
  runAsLeader,
  runControllers,
} from '../../src/kube/index.ts';
import { type VirtualEnv, virtualEnv } from '../virtual-env.ts';
import { createScriptedDaemons, type DaemonScript } from './scripted-daemons.ts';
import {
  ADMIN,
  cachesFor,
  LIMITS,
  type ProcessParts,
  partsFor,
  type Running,
  startProcess,
  type Wrap,
} from './world-process.ts';

export type { Running } from './world-process.ts';

/** Tests and benches run from the root of the project. */
const root = process.cwd();
/** A story begins at this moment, however long the real files took to be read: the same story is the same trace. */
const BEGIN_MS = 60_000;
export const RELEASE = { version: 'millwright test', controllerVersion: 'test', releaseVersion: '4.99.0' };

export type World = {
  readonly env: VirtualEnv;
  readonly kube: Kube;
  readonly store: Store;
  readonly server: ApiServer;
  /** Starts our controllers; `wrap` may meddle with their requests. Gives what ends them. */
  readonly startControllers: (wrap?: Wrap, options?: ControllerOptions) => Promise<Running>;
  /** The same, but they act only while they hold the Lease. */
  readonly startCandidate: (identity: string, wrap?: Wrap) => Promise<Running>;
  readonly startDaemons: (script?: Partial<DaemonScript>) => Promise<Running>;
  /** Anything else that lives in the cluster. */
  readonly startOther: (run: (parts: ProcessParts) => Promise<void>, wrap?: Wrap) => Running;
  readonly node: (name: string) => Promise<Node>;
  readonly pool: (name: string) => Promise<MachineConfigPool>;
  readonly pools: () => Promise<readonly MachineConfigPool[]>;
  readonly nodes: () => Promise<readonly Node[]>;
  /** Lets time pass until the pools are updated. */
  readonly untilUpdated: (names: readonly string[], limitMs: number) => Promise<void>;
  readonly until: (what: string, holds: () => Promise<boolean>, limitMs: number) => Promise<void>;
  readonly apply: (config: MachineConfig) => Promise<void>;
  readonly stop: () => Promise<void>;
};

export type ControllerOptions = {
  /** May count what is asked of the caches. */
  readonly wrapCaches?: (caches: Caches) => Caches;
  readonly settings?: Partial<ControllerSettings>;
};

export type WorldOptions = {
  readonly masters?: number;
  readonly workers?: number;
  readonly seed?: number;
};

export const LEASE = { name: 'machine-config-controller', namespace: 'openshift-machine-config-operator' };
/** Short ones: what is tried is who may write, not how long upstream waits. */
export const LEASE_SETTINGS: LeaseSettings = { durationMs: 30_000, renewMs: 20_000, retryMs: 5_000 };

export async function startWorld({ masters = 3, workers = 3, seed = 1 }: WorldOptions = {}): Promise<World> {
  const env = virtualEnv({ seed });
  const store = createMemoryStore({ events: 500_000, bytes: 512 * 1024 * 1024 });
  const server = await createApiServer({ store, env, tokenKey: new Uint8Array(32) });
  const handle = server.handle;
  await installed(env, installManifests({ handle, clock: env.clock, folder: join(root, 'manifests') }));
  await env.clock.advance(Math.max(0, BEGIN_MS - env.clock.monotonic()));
  const transport = createInProcessTransport({ handle, user: ADMIN });
  const kube = createKube({ transport, env, fieldManager: 'story', limits: LIMITS });
  for (let index = 0; index < masters; index++)
    await kube.create(nodeKind, aNode(`master-${index}`, ['master', 'control-plane']));
  for (let index = 0; index < workers; index++)
    await kube.create(nodeKind, aNode(`worker-${index}`, ['worker']));
  const running = new Set<Running>();
  const start = (run: (parts: ProcessParts) => Promise<void>, wrap: Wrap = (one) => one): Running =>
    startProcess({ env, handle, running, wrap, run });
  const world: World = {
    env,
    kube,
    store,
    server,
    startControllers: async (wrap, options) => start((parts) => control(parts, options), wrap),
    startCandidate: async (identity, wrap) => start((parts) => controlAsLeader(parts, identity), wrap),
    startDaemons: async (script = {}) =>
      start(async (parts) => {
        const caches = cachesFor(parts);
        const daemons = createScriptedDaemons(
          { ...parts, caches },
          { applyMs: 20_000, rebootMs: 60_000, ...script },
        );
        await runControllers([daemons], { env: parts.env });
        await caches.stop();
      }),
    startOther: start,
    node: async (name) => found(await kube.get(nodeKind, { name }), name),
    pool: async (name) => found(await kube.get(machineConfigPoolKind, { name }), name),
    pools: async () => (await kube.list(machineConfigPoolKind)).items,
    nodes: async () => (await kube.list(nodeKind)).items,
    async untilUpdated(names, limitMs) {
      const isUpdated = async () => {
        const pools = await Promise.all(names.map((name) => kube.get(machineConfigPoolKind, { name })));
        return pools.every(
          (pool) =>
            pool?.status?.conditions?.find(({ type }) => type === 'Updated')?.status === 'True' &&
            pool.status.configuration?.name === pool.spec.configuration?.name &&
            pool.status.observedGeneration === pool.metadata.generation,
        );
      };
      await world.until(`${names.join(' and ')} updated`, isUpdated, limitMs);
    },
    async until(what, holds, limitMs) {
      const end = env.clock.monotonic() + limitMs;
      while (!(await holds())) {
        if (env.clock.monotonic() > end) throw new Error(`${what}: not within ${limitMs} ms of virtual time`);
        await env.clock.advance(1_000);
      }
    },
    apply: async (config) => {
      await kube.apply(machineConfigKind, config);
    },
    async stop() {
      for (const one of running) await one.stop();
      env.stop();
      await env.clock.advance(60_000);
      await server.close();
      await store.close();
    },
  };
  return world;
}

async function control(parts: ProcessParts, options: ControllerOptions = {}): Promise<void> {
  const caches = cachesFor(parts);
  const context: Context = {
    ...parts,
    caches: options.wrapCaches?.(caches) ?? caches,
    settings: { ...DEFAULT_SETTINGS, ...options.settings },
    release: RELEASE,
  };
  const controllers = [
    ...createOperator(context),
    ...createControllers(context, { templates: templateTree(), roles: ['master', 'worker'] }),
  ];
  await runControllers(controllers, { env: parts.env });
  await caches.stop();
}

/** As the shell of a real controller does it: the lease has a client of its own, the work writes only while it is held. */
function controlAsLeader({ kube, env, transport }: ProcessParts, identity: string): Promise<void> {
  return runAsLeader({ kube, env, lease: LEASE, identity, settings: LEASE_SETTINGS }, (term) =>
    control(
      partsFor(
        guardedTransport(transport, () => term.isHeld()),
        term.env,
      ),
    ),
  );
}

/** Reading files takes real time, being served virtual time: both pass until it is done. */
async function installed(env: VirtualEnv, installation: Promise<void>): Promise<void> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  installation.then(over, over);
  while (!isOver) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    await env.clock.advance(1);
  }
  await installation;
}

function found<T>(object: T | undefined, name: string): T {
  if (object === undefined) throw new Error(`there is no ${name}`);
  return object;
}

export function aNode(name: string, roles: readonly string[]): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: Object.fromEntries(roles.map((role) => [`node-role.kubernetes.io/${role}`, ''])),
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

/** The templates of the release, as the shell reads them. */
function templateTree(): ReadonlyMap<string, string> {
  const folder = join(root, 'templates');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length + 1), readFileSync(path, 'utf8')] as const;
    }),
  );
}
