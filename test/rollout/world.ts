/**
 * A cluster in memory and in virtual time, in which our controllers roll out and scripted daemons follow.
 *
 * Only the machines are simulated: the API server, the client, the caches and the controllers are the real ones. Tests
 * can check every state that was ever stored.
 */
import { createApiServer } from '../../src/embedded/apiserver/index.ts';
import {
  createInProcessTransport,
  createKube,
  type LeaseSettings,
  runControllers,
} from '../../src/kubernetes/client/index.ts';
import { AFTER_INSTALLATION_MS, installedStore } from '../support/installed-store.ts';
import { virtualEnv } from '../support/virtual-env.ts';
import { buildWorld, createNodes, type World, type WorldOptions } from './build-world.ts';
import { all, control, controlAsLeader, LEASE } from './control.ts';
import { createScriptedDaemons, DEFAULT_SCRIPT } from './scripted-daemons.ts';
import {
  type Connection,
  cachesFor,
  LIMITS,
  type ProcessParts,
  type Running,
  startProcess,
  type Wrap,
} from './world-process.ts';

export { aMachineConfig, aNode, type World, type WorldOptions } from './build-world.ts';
export { type ControllerOptions, LEASE, RELEASE } from './control.ts';
export type { Running } from './world-process.ts';

const ADMIN = { name: 'admin', groups: ['system:masters'] };
/** Short ones: what is tried is who may write, not how long upstream waits. */
export const LEASE_SETTINGS: LeaseSettings = { durationMs: 30_000, renewMs: 20_000, retryMs: 5_000 };

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const env = virtualEnv({ seed: options.seed ?? 1 });
  const { clock } = env;
  const store = await installedStore({ events: 500_000, bytes: 512 * 1024 * 1024 });
  const server = await createApiServer({ store, env, tokenKey: new Uint8Array(32) });
  const handle = server.handle;
  await clock.advance(AFTER_INSTALLATION_MS);
  const { send } = createInProcessTransport({ handle, user: ADMIN });
  const connection: Connection = { send, breakOff: () => undefined };
  const kube = createKube({ transport: connection, env, fieldManager: 'story', limits: LIMITS });
  await createNodes(kube, options);
  const running = new Set<Running>();
  const start = (run: (parts: ProcessParts) => Promise<void>, wrap?: Wrap): Running =>
    startProcess({
      ...{ env, connection, running, wrap, run },
      settled: (promise, limitMs) => clock.resolved(promise, limitMs),
    });
  return buildWorld({
    ...{ env, kube, store, server, startOther: start },
    startControllers: async (wrap, given) => start((parts) => control(parts, all, given), wrap),
    startCandidate: async (identity, wrap) => {
      const candidature = { identity, lease: LEASE, settings: LEASE_SETTINGS, component: all };
      return start((parts) => controlAsLeader(parts, candidature), wrap);
    },
    startDaemons: async (script = {}) =>
      start(async (parts) => {
        const caches = cachesFor(parts);
        const context = { caches, installer: caches, kube: parts.kube, kubelet: parts.kube, env: parts.env };
        const daemons = createScriptedDaemons(context, { ...DEFAULT_SCRIPT, ...script });
        await runControllers([daemons], { env: parts.env });
        await caches.stop();
      }),
    async until(what, holds, limitMs) {
      const end = clock.monotonic() + limitMs;
      while (!(await holds())) {
        if (clock.monotonic() > end) throw new Error(`${what}: not within ${limitMs} ms of virtual time`);
        await clock.advance(1_000);
      }
    },
    async stop() {
      for (const one of running) await one.stop();
      env.stop();
      await clock.advance(60_000);
      await server.close();
      await store.close();
    },
  });
}
