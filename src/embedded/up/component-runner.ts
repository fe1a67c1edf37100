/**
 * Runs the parts of this process that should run, each until it should not: one start per instance, a new one only after
 * the one before it in the same slot has ended, and again after a while where one fails by itself.
 */
import type { Env } from '../../base/env.ts';
import { delayAfter, type RetryLadder, waited } from '../../base/waiting.ts';
import type { Instance } from './component-instances.ts';

type RunnerOptions = {
  readonly env: Pick<Env, 'clock' | 'random'>;
  readonly run: (instance: Instance, signal: AbortSignal) => Promise<void>;
  /** An instance has ended though nobody had told it to. */
  readonly onFailure: (instance: Instance, error: unknown) => void;
};

/** As a kubelet waits, but for less long. */
const RESTARTS: RetryLadder = { baseMs: 500, factor: 2, capMs: 30_000, jitter: 0 };

export class ComponentRunner {
  readonly #options: RunnerOptions;
  readonly #running = new Map<string, Running>();
  /** Those that were told to end and have not yet. */
  readonly #ending = new Set<Running>();

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /** Those that run, by their keys. */
  get keys(): ReadonlySet<string> {
    return new Set([...this.#running].filter(([, one]) => one.hasStarted).map(([key]) => key));
  }

  /** These should run and no others. */
  want(instances: readonly Instance[]): void {
    const wanted = new Set(instances.map(({ key }) => key));
    for (const [key, running] of this.#running) if (!wanted.has(key)) this.#end(key, running);
    for (const instance of instances) if (!this.#running.has(instance.key)) this.#start(instance);
  }

  /** Resolves once nothing runs any more. */
  async stop(): Promise<void> {
    this.want([]);
    await Promise.all([...this.#ending].map(({ ended }) => ended));
  }

  #end(key: string, running: Running): void {
    this.#running.delete(key);
    this.#ending.add(running);
    running.stopping.abort();
  }

  #start(instance: Instance): void {
    const before = [...this.#ending].filter(({ slot }) => slot === instance.slot).map(({ ended }) => ended);
    const stopping = new AbortController();
    const running: Running = { slot: instance.slot, stopping, ended: Promise.resolve(), hasStarted: false };
    running.ended = this.#life(instance, running, before).finally(() => this.#ending.delete(running));
    this.#running.set(instance.key, running);
  }

  /** Never rejects. */
  async #life(instance: Instance, running: Running, before: readonly Promise<void>[]): Promise<void> {
    const { run, onFailure, env } = this.#options;
    const { signal } = running.stopping;
    await Promise.all(before);
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        running.hasStarted = true;
        await run(instance, signal);
        if (!signal.aborted) onFailure(instance, new Error('it has ended by itself'));
      } catch (error) {
        if (!signal.aborted) onFailure(instance, error);
      }
      running.hasStarted = false;
      await waited(env.clock, { delayMs: delayAfter(RESTARTS, failures, env.random), signal });
    }
  }
}

type Running = {
  readonly slot: string;
  readonly stopping: AbortController;
  ended: Promise<void>;
  hasStarted: boolean;
};
