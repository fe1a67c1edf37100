/**
 * A cluster in memory and in virtual time, in which our controllers roll out and scripted daemons follow.
 *
 * Nothing here is faked but the machines: the API server, the client, the caches, the controllers and their loop are the
 * real ones. What happens is written down as it is stored, so a story can be judged by every state that ever was.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
  createControllers,
  createOperator,
  DEFAULT_SETTINGS,
} from '../../src/controllers/index.ts';
import type { Env } from '../../src/env.ts';
import {
  createCaches,
  createEventRecorder,
  createInProcessTransport,
  createKube,
  type EventWriter,
  type Kube,
  runControllers,
  type Transport,
} from '../../src/kube/index.ts';
import { type VirtualEnv, virtualEnv } from '../virtual-env.ts';
import { createScriptedDaemons, type DaemonScript } from './scripted-daemons.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const ADMIN = { name: 'admin', groups: ['system:masters'] };
/** What is tried here is not the rate limit. */
const LIMITS = { rate: { perSecond: 1_000_000, burst: 1_000_000 } };
export const RELEASE = { version: 'millwright test', controllerVersion: 'test', releaseVersion: '4.99.0' };

export type World = {
  readonly env: VirtualEnv;
  readonly kube: Kube;
  readonly store: Store;
  readonly server: ApiServer;
  /** Starts our controllers; `wrap` may meddle with their requests. Gives what ends them. */
  readonly startControllers: (wrap?: (transport: Transport) => Transport) => Promise<Running>;
  readonly startDaemons: (script?: Partial<DaemonScript>) => Promise<Running>;
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

export type Running = { readonly stop: () => Promise<void>; readonly requests: () => number };

export type WorldOptions = {
  readonly masters?: number;
  readonly workers?: number;
  readonly seed?: number;
};

export async function startWorld({ masters = 3, workers = 3, seed = 1 }: WorldOptions = {}): Promise<World> {
  const env = virtualEnv({ seed });
  const store = createMemoryStore({ events: 500_000, bytes: 512 * 1024 * 1024 });
  const server = await createApiServer({ store, env, tokenKey: new Uint8Array(32) });
  const handle = server.handle;
  await installed(env, installManifests({ handle, clock: env.clock, folder: join(root, 'manifests') }));
  const transport = createInProcessTransport({ handle, user: ADMIN });
  const kube = createKube({ transport, env, fieldManager: 'story', limits: LIMITS });
  for (let index = 0; index < masters; index++)
    await kube.create(nodeKind, aNode(`master-${index}`, ['master', 'control-plane']));
  for (let index = 0; index < workers; index++)
    await kube.create(nodeKind, aNode(`worker-${index}`, ['worker']));
  const running = new Set<Running>();
  const start = (
    wrap: (transport: Transport) => Transport,
    create: (parts: {
      kube: Kube;
      env: Env;
      transport: Transport;
      eventsOf: Context['eventsOf'];
    }) => Promise<void>,
  ): Running => startPart({ env, handle, running, wrap, create });
  const world: World = {
    env,
    kube,
    store,
    server,
    async startControllers(wrap = (one) => one) {
      return start(wrap, async (parts) => {
        const caches = createCaches({ transport: parts.transport, env: parts.env, limits: LIMITS });
        const context: Context = { ...parts, caches, settings: DEFAULT_SETTINGS, release: RELEASE };
        const options = { templates: templateTree(), roles: ['master', 'worker'] };
        await runControllers([...createOperator(context), ...createControllers(context, options)], {
          env: parts.env,
        });
        await caches.stop();
      });
    },
    async startDaemons(script = {}) {
      return start(
        (one) => one,
        async (parts) => {
          const caches = createCaches({ transport: parts.transport, env: parts.env, limits: LIMITS });
          const daemons = createScriptedDaemons(
            { ...parts, caches },
            { applyMs: 20_000, rebootMs: 60_000, ...script },
          );
          await runControllers([daemons], { env: parts.env });
          await caches.stop();
        },
      );
    },
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

/** Reading files takes real time, being served virtual time: both pass until it is done. */
async function installed(env: VirtualEnv, installation: Promise<void>): Promise<void> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  installation.then(over, over);
  while (!isOver) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    await env.clock.advance(10);
  }
  await installation;
}

type Part = {
  readonly env: VirtualEnv;
  readonly handle: ApiServer['handle'];
  readonly running: Set<Running>;
  readonly wrap: (transport: Transport) => Transport;
  readonly create: (parts: {
    readonly kube: Kube;
    readonly env: Env;
    readonly transport: Transport;
    readonly eventsOf: Context['eventsOf'];
  }) => Promise<void>;
};

function startPart({ env: outer, handle, running, wrap, create }: Part): Running {
  const stopping = new AbortController();
  const env: Env = { ...outer, signal: stopping.signal };
  let requests = 0;
  const direct = createInProcessTransport({ handle, user: ADMIN });
  const counted: Transport = {
    send: (request) => {
      requests++;
      return direct.send(request);
    },
  };
  const transport = wrap(counted);
  const kube = createKube({ transport, env, fieldManager: 'machine-config-controller', limits: LIMITS });
  const recorders = new Map<string, EventWriter>();
  const eventsOf: Context['eventsOf'] = (component) => {
    const known = recorders.get(component) ?? createEventRecorder({ kube, env, component });
    recorders.set(component, known);
    return known;
  };
  const ended = create({ kube, env, transport, eventsOf });
  const part: Running = {
    requests: () => requests,
    async stop() {
      running.delete(part);
      stopping.abort();
      await outer.clock.resolved(ended, 120_000);
    },
  };
  running.add(part);
  return part;
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
