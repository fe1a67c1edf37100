/**
 * Looks whether a builder is running, for pools that wait for a build: at the Lease that it holds. That is a request now and
 * then, and none while no pool waits: a watch would cost every cluster something that few of them need.
 */
import { BUILDER_LEASE, type MachineConfigPool } from '../api/index.ts';
import { after, done, KubeError, type Next } from '../kubernetes/client/index.ts';
import { type Lease, lease as leaseKind } from '../kubernetes/types/index.ts';
import {
  type BuilderOutage,
  builderOutage,
  type Layering,
  leaseDueInMs,
  needsBuilder,
  reportedOutage,
} from '../rollout/index.ts';
import type { Context } from './context.ts';

/** All waiting pools together read the Lease this often. */
const LOOK_INTERVAL_MS = 30_000;

type BuilderLook = { readonly outage: BuilderOutage | undefined; readonly next: Next };

export class BuilderWatch {
  readonly #context: Context;
  /** By pool: since when it has been waiting for a build. */
  readonly #waitingSinceMs = new Map<string, number>();
  /** `nowMs`: the time of day when it was read. A Lease says nothing about later. */
  #last: { readonly lease: Lease | undefined; readonly nowMs: number; readonly atMs: number } | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  /** The pool is gone. */
  forget(pool: string): void {
    this.#waitingSinceMs.delete(pool);
  }

  async look(pool: MachineConfigPool, layering: Layering | undefined): Promise<BuilderLook> {
    const { clock } = this.#context.env;
    const { name } = pool.metadata;
    if (!needsBuilder(layering)) {
      this.#waitingSinceMs.delete(name);
      return { outage: undefined, next: done };
    }
    const nowMs = clock.monotonic();
    const sinceMs = this.#waitingSinceMs.get(name) ?? nowMs;
    this.#waitingSinceMs.set(name, sinceMs);
    const dueInMs = leaseDueInMs(pool, nowMs - sinceMs);
    if (dueInMs > 0) return { outage: undefined, next: after(dueInMs, 'a build may need a builder') };
    const next = after(LOOK_INTERVAL_MS, 'a build needs a builder');
    try {
      const { lease, nowMs: readMs } = await this.#read();
      return { outage: builderOutage(layering, { lease, nowMs: readMs }), next };
    } catch (error) {
      // The rollout does not depend on it: what is known stays.
      if (!(error instanceof KubeError)) throw error;
      this.#context.env.log.warn('Lease of the builder not read', { pool: name, error: error.message });
      return { outage: reportedOutage(pool), next };
    }
  }

  async #read(): Promise<{ readonly lease: Lease | undefined; readonly nowMs: number }> {
    const { env, kube, settings } = this.#context;
    const nowMs = env.clock.monotonic();
    if (this.#last !== undefined && nowMs - this.#last.atMs < LOOK_INTERVAL_MS) return this.#last;
    const lease = await kube.get(leaseKind, { name: BUILDER_LEASE, namespace: settings.namespace });
    const last = { lease, nowMs: env.clock.now(), atMs: nowMs };
    this.#last = last;
    return last;
  }
}
