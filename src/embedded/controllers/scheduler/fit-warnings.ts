/**
 * When an unschedulable pod is worth a warning. Most become schedulable within seconds: a node joins, or a pod makes room.
 * Unlike kube-scheduler, which warns at each attempt, this one waits for that; the pod's condition has the message at once.
 */
import type { Clock } from '../../../base/env.ts';
import type { NodeSettings } from '../node-settings.ts';
import type { PodInfo } from './pod-info.ts';

type FitWarningsOptions = {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly settings: Pick<NodeSettings, 'unschedulableWarningMs' | 'firstNodeMs'>;
};

type Unschedulable = {
  readonly uid: string | undefined;
  readonly sinceMs: number;
  /** The last warning. */
  warned: string | undefined;
};

export class FitWarnings {
  readonly #options: FitWarningsOptions;
  readonly #pods = new Map<string, Unschedulable>();
  #nodes = 0;
  #joinedAtMs = 0;

  constructor(options: FitWarningsOptions) {
    this.#options = options;
  }

  /** A node has joined or left. While nodes join, more may follow. */
  onNode(change: 'joined' | 'left'): void {
    this.#nodes += change === 'joined' ? 1 : -1;
    if (change === 'joined') this.#joinedAtMs = this.#options.clock.monotonic();
  }

  /**
   * To be called for each failed attempt. How long to wait before the warning: 0 where it is due, which counts as warned;
   * `undefined` where there was one with this message.
   */
  waitMs({ key, uid }: PodInfo, message: string): number | undefined {
    const { clock, settings } = this.#options;
    const nowMs = clock.monotonic();
    const before = this.#pods.get(key);
    const pod =
      before !== undefined && before.uid === uid ? before : { uid, sinceMs: nowMs, warned: undefined };
    this.#pods.set(key, pod);
    if (pod.warned === message) return undefined;
    const dueAtMs =
      this.#nodes === 0
        ? pod.sinceMs + settings.firstNodeMs
        : Math.max(pod.sinceMs, this.#joinedAtMs) + settings.unschedulableWarningMs;
    if (nowMs < dueAtMs) return dueAtMs - nowMs;
    pod.warned = message;
    return 0;
  }

  /** The pod is deleted or bound. */
  forget(key: string): void {
    this.#pods.delete(key);
  }
}
