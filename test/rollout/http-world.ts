/**
 * A cluster behind real sockets, in real time: the API server over TLS, and every process with its own connection and
 * identity. Operator and controllers have the tokens of their accounts, each daemon that of its pod, which names the node
 * it runs on. RBAC and admission policies are those of `manifests/`.
 *
 * Machines are fast. The debounce window is not shortened: it is part of the contract.
 */

import { type Env, silentLog, systemClock, systemRandom } from '../../src/base/env.ts';
import { settingsAtSpeed } from '../../src/controllers/index.ts';
import { createKube, type LeaseSettings, runControllers } from '../../src/kubernetes/client/index.ts';
import { buildWorld, createNodes, type Ground, type World, type WorldOptions } from './build-world.ts';
import { control, controlAsLeader, controllers, LEASE, OPERATOR_LEASE, operator } from './control.ts';
import { Connections, type Proof } from './http-connections.ts';
import { type HttpServer, startHttpServer, type WrapHandler } from './http-server.ts';
import { createDaemonPods, tokenOf } from './http-tokens.ts';
import { untilStored } from './http-until.ts';
import { createScriptedDaemons, type DaemonScript } from './scripted-daemons.ts';
import {
  type Connection,
  cachesFor,
  LIMITS,
  type Patience,
  type ProcessParts,
  partsFor,
  type Running,
  startProcess,
  together,
  type Wrap,
} from './world-process.ts';

export type HttpWorld = World<Env> & Pick<HttpServer, 'refused'>;

export type HttpWorldOptions = WorldOptions & {
  readonly wrapHandler?: WrapHandler;
  /** Another port by which operator and controllers reach the server at this one. */
  readonly detour?: (port: number) => Promise<number>;
  /** Of operator and controllers. */
  readonly patience?: Patience;
};

const SETTINGS = settingsAtSpeed(30);
/** Long enough that a busy machine does not cost a leader its Lease: each renewal has as long as the retries are apart. */
const LEASE_SETTINGS: LeaseSettings = { durationMs: 20_000, renewMs: 15_000, retryMs: 4_000 };
const SCRIPT: DaemonScript = { applyMs: 100, rebootMs: 250, retryMs: 50 };
/** Whatever is waited for has come long before; this only ends what hangs. */
const HANG_MS = 150_000;

/** The administrator of a story does not try again, and all clusters of a file share one process with their servers. */
const ADMIN_LIMITS = { connectMs: HANG_MS, responseMs: HANG_MS };

/** Two processes with an account and a Lease each. */
const PARTS = {
  operator: { component: operator, account: 'machine-config-operator', lease: OPERATOR_LEASE },
  controllers: { component: controllers, account: 'machine-config-controller', lease: LEASE },
} as const;
type Part = (typeof PARTS)[keyof typeof PARTS];

export async function startHttpWorld(options: HttpWorldOptions = {}): Promise<HttpWorld> {
  const stopping = new AbortController();
  const env: Env = { clock: systemClock, random: systemRandom, log: silentLog, signal: stopping.signal };
  const server = await startHttpServer(env, options.wrapHandler);
  const connections = new Connections(server.pki.authority.certPem);
  const asAdmin: Who = { port: server.port, proof: { certificate: server.pki.admin } };
  const admin = connections.open(asAdmin.port, asAdmin.proof, ADMIN_LIMITS);
  const limits = { ...LIMITS, answerMs: HANG_MS };
  const kube = createKube({ transport: admin, env, fieldManager: 'story', limits });
  const nodes = await createNodes(kube, options);
  const processes = new Processes(env, connections);
  const world = buildWorld({
    ...{ env, kube, store: server.store, server: server.server },
    startOther: (run, wrap) => processes.start(asAdmin, run, wrap),
    ...(await ourProcesses(processes, { options, server, admin })),
    startDaemons: daemons(processes, {
      ...{ env, kube, admin, port: server.port },
      tokens: await createDaemonPods({ kube, transport: admin }, nodes),
    }),
    until: (what, holds) =>
      untilStored({
        ...{ store: server.store, clock: systemClock, what, holds, limitMs: HANG_MS },
        crash: () => processes.crash,
      }),
    async stop() {
      await Promise.all([...processes.running].map((one) => one.stop()));
      stopping.abort();
      connections.close();
      await server.stop();
    },
  });
  return { ...world, refused: server.refused };
}

type Who = { readonly port: number; readonly proof: Proof; readonly patience?: Patience | undefined };
type Run = (parts: ProcessParts) => Promise<void>;

class Processes {
  readonly running = new Set<Running>();
  /** The error of a process that ended unexpectedly. */
  crash: Error | undefined;
  readonly #env: Env;
  readonly #connections: Connections;

  constructor(env: Env, connections: Connections) {
    this.#env = env;
    this.#connections = connections;
  }

  start({ port, proof, patience = {} }: Who, run: Run, wrap?: Wrap): Running {
    const connection = this.#connections.open(port, proof);
    const process = startProcess({
      ...{ env: this.#env, running: this.running, connection, patience, wrap, run },
      settled: (promise) => promise,
    });
    process.ended.catch((error: unknown) => {
      if (this.running.has(process)) this.crash ??= error instanceof Error ? error : new Error(String(error));
    });
    return process;
  }
}

type Ours = {
  readonly options: HttpWorldOptions;
  readonly server: HttpServer;
  readonly admin: Connection;
};

/** Operator and controllers, two processes that are started and ended together. */
async function ourProcesses(
  processes: Processes,
  { options, server, admin }: Ours,
): Promise<Pick<Ground<Env>, 'startControllers' | 'startCandidate'>> {
  const port = (await options.detour?.(server.port)) ?? server.port;
  const asThemselves = await Promise.all(
    Object.values(PARTS).map(async (part) => {
      const token = await tokenOf(admin, part.account);
      server.noteOurs(token);
      return { part, who: { port, proof: { token }, patience: options.patience } };
    }),
  );
  const start = (run: (parts: ProcessParts, part: Part) => Promise<void>, wrap?: Wrap): Running =>
    together(asThemselves.map(({ part, who }) => processes.start(who, (parts) => run(parts, part), wrap)));
  return {
    startControllers: async (wrap, given) =>
      start((parts, { component }) => {
        const settings = { ...SETTINGS, ...given?.settings };
        return control(parts, component, { ...given, settings });
      }, wrap),
    startCandidate: async (identity, wrap) =>
      start(
        (parts, { component, lease }) =>
          controlAsLeader(parts, {
            ...{ identity, lease, component, settings: LEASE_SETTINGS },
            options: { settings: SETTINGS },
          }),
        wrap,
      ),
  };
}

type Machines = {
  readonly env: Env;
  readonly kube: Ground<Env>['kube'];
  readonly admin: Connection;
  readonly port: number;
  /** Of the daemons, by node. */
  readonly tokens: ReadonlyMap<string, string>;
};

/** One process per node, with the permissions of its daemon. */
function daemons(
  processes: Processes,
  { env, kube, admin, port, tokens }: Machines,
): Ground<Env>['startDaemons'] {
  return async (script = {}) => {
    const installer = cachesFor(partsFor(admin, env, {}));
    const all = [...tokens].map(([node, token]) =>
      processes.start({ port, proof: { token } }, async (parts) => {
        const caches = cachesFor(parts);
        const selection = { fieldSelector: `metadata.name=${node}` };
        const context = { ...parts, caches, selection, installer, kubelet: kube };
        await runControllers([createScriptedDaemons(context, { ...SCRIPT, ...script })], parts);
        await caches.stop();
      }),
    );
    const running = together(all);
    const stop = async () => {
      await running.stop();
      await installer.stop();
    };
    return { ...running, stop };
  };
}
