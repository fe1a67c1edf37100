/**
 * One process of a story's cluster: something that talks to the server through a connection of its own and can be ended
 * without the others noticing.
 */

import { NAMESPACE } from '../../src/api/index.ts';
import type { Env } from '../../src/base/env.ts';
import type { Context } from '../../src/controllers/index.ts';
import {
  type Caches,
  createCaches,
  createEventRecorder,
  createKube,
  type EventWriter,
  type Kube,
  type ReflectorSettings,
  type RequestLimits,
  type Transport,
} from '../../src/kubernetes/client/index.ts';

/** What is tried here is not the rate limit. */
export const LIMITS = { rate: { perSecond: 1_000_000, burst: 1_000_000 } };
const STOP_LIMIT_MS = 120_000;

/** The way of one process to the server. */
export type Connection = Transport & {
  /** Ends all that is under way, as when its sockets vanish. What lies in memory alone has no sockets to lose. */
  readonly breakOff: () => void;
};

/** May intercept the requests of a process. */
export type Wrap = (connection: Connection) => Transport;

/** How patient a process is with its server. */
export type Patience = {
  readonly limits?: Partial<RequestLimits>;
  readonly reflector?: Partial<ReflectorSettings>;
};

/** What a process works with. */
export type ProcessParts = {
  readonly kube: Kube;
  readonly env: Env;
  readonly transport: Transport;
  readonly patience: Patience;
  readonly eventsOf: Context['eventsOf'];
};

export type Running = {
  /** Stops the process and waits for it. Its last requests are still sent, unless its transport is cut. */
  readonly stop: () => Promise<void>;
  /** How many requests have come through. */
  readonly requests: () => number;
  /** Rejects where the process ended by a mistake of ours. */
  readonly ended: Promise<void>;
};

/** Waits for what takes time, in the time that the world has. */
export type Settled = <T>(promise: Promise<T>, limitMs: number) => Promise<T>;

export type ProcessOptions = {
  readonly env: Env;
  readonly connection: Connection;
  readonly patience?: Patience;
  readonly settled: Settled;
  /** The processes of the world, this one among them while it runs. */
  readonly running: Set<Running>;
  readonly wrap?: Wrap | undefined;
  /** Settles when the process has ended. */
  readonly run: (parts: ProcessParts) => Promise<void>;
};

export function startProcess(options: ProcessOptions): Running {
  const { connection, running, wrap = (one) => one, run, settled, patience = {} } = options;
  const stopping = new AbortController();
  const env: Env = { ...options.env, signal: stopping.signal };
  let requests = 0;
  const counted: Connection = {
    breakOff: connection.breakOff,
    send: (request) => {
      requests++;
      return connection.send(request);
    },
  };
  const ended = run(partsFor(wrap(counted), env, patience));
  // stop() reports the error.
  ended.catch(() => undefined);
  const process: Running = {
    requests: () => requests,
    ended,
    async stop() {
      running.delete(process);
      stopping.abort();
      await settled(ended, STOP_LIMIT_MS);
      connection.breakOff();
    },
  };
  running.add(process);
  return process;
}

/** Several that begin and end together. */
export function together(processes: readonly Running[]): Running {
  const ended = Promise.all(processes.map((one) => one.ended)).then(() => undefined);
  ended.catch(() => undefined);
  return {
    ended,
    requests: () => processes.reduce((sum, one) => sum + one.requests(), 0),
    stop: async () => {
      await Promise.all(processes.map((one) => one.stop()));
    },
  };
}

export function partsFor(transport: Transport, env: Env, patience: Patience): ProcessParts {
  const limits = { ...LIMITS, ...patience.limits };
  const kube = createKube({ transport, env, fieldManager: 'machine-config-controller', limits });
  const recorders = new Map<string, EventWriter>();
  const eventsOf: Context['eventsOf'] = (component, namespace = NAMESPACE) => {
    const key = `${namespace}/${component}`;
    const known = recorders.get(key) ?? createEventRecorder({ kube, env, namespace, component });
    recorders.set(key, known);
    return known;
  };
  return { kube, env, transport, patience, eventsOf };
}

export function cachesFor({
  transport,
  env,
  patience,
}: Pick<ProcessParts, 'transport' | 'env' | 'patience'>): Caches & { stop(): Promise<void> } {
  const { limits, reflector = {} } = patience;
  return createCaches({ transport, env, limits: { ...LIMITS, ...limits }, settings: reflector });
}
