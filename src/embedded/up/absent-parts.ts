/**
 * Operator and controllers that no pod stands for: whatever people do, nothing happens then, and nobody would tell.
 */

import { NAMESPACE } from '../../api/index.ts';
import type { Clock, Timer } from '../../base/env.ts';
import { type Instance, PARTS } from './component-instances.ts';

/** Pods move now and then; a part that is away for longer than that is missed. */
const ABSENCE_MS = 15_000;

export class AbsentParts {
  readonly #clock: Clock;
  readonly #say: (line: string) => void;
  readonly #timers = new Map<string, Timer>();

  constructor(clock: Clock, say: (line: string) => void) {
    this.#clock = clock;
    this.#say = say;
  }

  note(instances: readonly Instance[]): void {
    for (const [app, part] of Object.entries(PARTS)) {
      const isThere = part === 'daemon' || instances.some((one) => one.part === part);
      if (isThere) this.#forget(app);
      else if (!this.#timers.has(app))
        this.#timers.set(
          app,
          this.#clock.after(ABSENCE_MS, () => this.#miss(app)),
        );
    }
  }

  stop(): void {
    for (const app of [...this.#timers.keys()]) this.#forget(app);
  }

  #forget(app: string): void {
    this.#timers.get(app)?.cancel();
    this.#timers.delete(app);
  }

  #miss(app: string): void {
    const look = `kubectl get deployments,pods -n ${NAMESPACE}`;
    this.#say(
      `no pod of ${app} runs, and nothing is done until one does: ${look} (what was deleted is back after a restart)`,
    );
  }
}
