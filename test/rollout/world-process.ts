/**
 * One process of a story's cluster: something that talks to the server through a transport of its own and can be ended
 * without the others noticing.
 */
import type { ApiServer } from '../../src/apiserver/index.ts';
import type { Context } from '../../src/controllers/index.ts';
import type { Env } from '../../src/env.ts';
import {
  type Caches,
  createCaches,
  createEventRecorder,
  createInProcessTransport,
  createKube,
  type EventWriter,
  type Kube,
  type Transport,
} from '../../src/kube/index.ts';
import type { VirtualEnv } from '../virtual-env.ts';

export const ADMIN = { name: 'admin', groups: ['system:masters'] };
/** What is tried here is not the rate limit. */
export const LIMITS = { rate: { perSecond: 1_000_000, burst: 1_000_000 } };
const STOP_LIMIT_MS = 120_000;

export type Wrap = (transport: Transport) => Transport;

/** What a process works with. */
export type ProcessParts = {
  readonly kube: Kube;
  readonly env: Env;
  readonly transport: Transport;
  readonly eventsOf: Context['eventsOf'];
};

export type Running = {
  /** Tells it to stop and waits until it has. What it still has to say it may say, unless its transport is cut. */
  readonly stop: () => Promise<void>;
  /** How many requests have come through. */
  readonly requests: () => number;
  /** Rejects where the process ended by a mistake of ours. */
  readonly ended: Promise<void>;
};

export type ProcessOptions = {
  readonly env: VirtualEnv;
  readonly handle: ApiServer['handle'];
  /** The processes of the world, this one among them while it runs. */
  readonly running: Set<Running>;
  readonly wrap: Wrap;
  /** Settles when the process has ended. */
  readonly run: (parts: ProcessParts) => Promise<void>;
};

export function startProcess({ env: outer, handle, running, wrap, run }: ProcessOptions): Running {
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
  const ended = run(partsFor(transport, env));
  // Whoever stops it hears of it.
  ended.catch(() => undefined);
  const process: Running = {
    requests: () => requests,
    ended,
    async stop() {
      running.delete(process);
      stopping.abort();
      await outer.clock.resolved(ended, STOP_LIMIT_MS);
    },
  };
  running.add(process);
  return process;
}

export function partsFor(transport: Transport, env: Env): ProcessParts {
  const kube = createKube({ transport, env, fieldManager: 'machine-config-controller', limits: LIMITS });
  const recorders = new Map<string, EventWriter>();
  const eventsOf: Context['eventsOf'] = (component) => {
    const known = recorders.get(component) ?? createEventRecorder({ kube, env, component });
    recorders.set(component, known);
    return known;
  };
  return { kube, env, transport, eventsOf };
}

export function cachesFor({ transport, env }: Pick<ProcessParts, 'transport' | 'env'>): Caches & {
  stop(): Promise<void>;
} {
  return createCaches({ transport, env, limits: LIMITS });
}
