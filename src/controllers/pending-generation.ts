/**
 * Whether controllers that generate MachineConfigs still have changes to work off. Until they have, the sources of a
 * pool are incomplete: a rendering would miss what a KubeletConfig or a mirror set is about to become, and nodes would be
 * updated twice.
 *
 * It follows the keys of these controllers (`track`): a key is pending from the change that enqueued it until it was
 * reconciled, or has stalled and will not change anything. All controllers run in one process, so nothing is lost in
 * between, and after a restart every key is pending until it was reconciled once.
 */
import type { Clock } from '../base/env.ts';
import { Failure } from '../base/errors.ts';
import type { Controller } from '../kubernetes/client/index.ts';

/** Renderings do not wait longer for a key that keeps failing: one bad object must not stop every pool. */
const MAX_WAIT_MS = 30_000;

type PendingKey = { readonly sinceMs: number; readonly changes: number };

export class PendingGeneration {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #keys = new Map<string, PendingKey>();
  readonly #listeners: (() => void)[] = [];

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** The same controller; from now on its keys count here. */
  track(controller: Controller): Controller {
    const keyOf = (key: string) => `${controller.name}/${key}`;
    return {
      ...controller,
      watch: (enqueue) =>
        controller.watch((key, delayMs) => {
          this.#add(keyOf(key));
          enqueue(key, delayMs);
        }),
      reconcile: async (key) => {
        const changes = this.#keys.get(keyOf(key))?.changes;
        try {
          const next = await controller.reconcile(key);
          this.#settle(keyOf(key), changes);
          return next;
        } catch (error) {
          if (error instanceof Failure && error.kind === 'stalled') this.#settle(keyOf(key), changes);
          throw error;
        }
      },
    };
  }

  isPending(): boolean {
    const oldestMs = this.#clock.monotonic() - MAX_WAIT_MS;
    return [...this.#keys.values()].some(({ sinceMs }) => sinceMs > oldestMs);
  }

  /** Called when nothing is pending any more. */
  onIdle(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #add(key: string): void {
    const { sinceMs = this.#clock.monotonic(), changes = 0 } = this.#keys.get(key) ?? {};
    this.#keys.set(key, { sinceMs, changes: changes + 1 });
  }

  /** Changes that came during the reconcile stay pending. */
  #settle(key: string, changes: number | undefined): void {
    if (this.#keys.get(key)?.changes !== changes) return;
    const isRemoved = this.#keys.delete(key);
    if (isRemoved && this.#keys.size === 0) for (const listener of this.#listeners) listener();
  }
}
