/**
 * Runs the desired component instances: each is started once, after the previous one in its slot has ended, and restarted
 * with backoff if it fails.
 */
import type { Env } from '../../base/env.ts';
import { type Backoff, delayAfter, sleep } from '../../base/waiting.ts';
import type { Instance } from './component-instances.ts';

type RunnerOptions = {
  readonly env: Pick<Env, 'clock' | 'random'>;
  readonly run: (instance: Instance, signal: AbortSignal) => Promise<void>;
  /** An instance has ended without being stopped. */
  readonly onFailure: (instance: Instance, error: unknown) => void;
};

/** Like the kubelet's CrashLoopBackOff, but shorter. */
const RESTARTS: Backoff = { baseMs: 500, factor: 2, capMs: 30_000, jitter: 0 };

export class ComponentRunner {
  readonly #options: RunnerOptions;
  readonly #running = new Map<string, Running>();
  /** Instances that are stopping. */
  readonly #stopping = new Set<Running>();

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /** The keys of running instances. */
  get keys(): ReadonlySet<string> {
    return new Set([...this.#running].filter(([, one]) => one.hasStarted).map(([key]) => key));
  }

  /** Starts and stops instances so that exactly these run. */
  reconcile(instances: readonly Instance[]): void {
    const desired = new Set(instances.map(({ key }) => key));
    for (const [key, running] of this.#running) if (!desired.has(key)) this.#stopOne(key, running);
    for (const instance of instances) if (!this.#running.has(instance.key)) this.#start(instance);
  }

  /** Resolves once all instances have ended. */
  async stop(): Promise<void> {
    this.reconcile([]);
    await Promise.all([...this.#stopping].map(({ ended }) => ended));
  }

  #stopOne(key: string, running: Running): void {
    this.#running.delete(key);
    this.#stopping.add(running);
    running.stopping.abort();
  }

  #start(instance: Instance): void {
    const before = [...this.#stopping].filter(({ slot }) => slot === instance.slot).map(({ ended }) => ended);
    const stopping = new AbortController();
    const running: Running = { slot: instance.slot, stopping, ended: Promise.resolve(), hasStarted: false };
    running.ended = this.#runWithRestarts(instance, running, before).finally(() =>
      this.#stopping.delete(running),
    );
    this.#running.set(instance.key, running);
  }

  /** Never rejects. */
  async #runWithRestarts(
    instance: Instance,
    running: Running,
    before: readonly Promise<void>[],
  ): Promise<void> {
    const { run, onFailure, env } = this.#options;
    const { signal } = running.stopping;
    await Promise.all(before);
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        running.hasStarted = true;
        await run(instance, signal);
        if (!signal.aborted) onFailure(instance, new Error('ended unexpectedly'));
      } catch (error) {
        if (!signal.aborted) onFailure(instance, error);
      }
      running.hasStarted = false;
      await sleep(env.clock, { delayMs: delayAfter(RESTARTS, failures, env.random), signal });
    }
  }
}

type Running = {
  readonly slot: string;
  readonly stopping: AbortController;
  ended: Promise<void>;
  hasStarted: boolean;
};
