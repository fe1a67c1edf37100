/**
 * Warns if the operator or the controllers have no running pod for a while, since nothing would be reconciled then.
 */

import { NAMESPACE } from '../../api/index.ts';
import type { Clock, Timer } from '../../base/env.ts';
import { COMPONENTS, type Instance } from './component-instances.ts';

/** Longer than a pod takes to be rescheduled. */
const GRACE_MS = 15_000;

export class MissingComponents {
  readonly #clock: Clock;
  readonly #warn: (line: string) => void;
  readonly #timers = new Map<string, Timer>();

  constructor(clock: Clock, warn: (line: string) => void) {
    this.#clock = clock;
    this.#warn = warn;
  }

  update(instances: readonly Instance[]): void {
    for (const [app, component] of Object.entries(COMPONENTS)) {
      // Without a server no machine joins, which is up to the administrator.
      const isOptional = component === 'daemon' || component === 'server';
      const isRunning = isOptional || instances.some((one) => one.component === component);
      if (isRunning) this.#cancel(app);
      else if (!this.#timers.has(app))
        this.#timers.set(
          app,
          this.#clock.after(GRACE_MS, () => this.#report(app)),
        );
    }
  }

  stop(): void {
    for (const app of [...this.#timers.keys()]) this.#cancel(app);
  }

  #cancel(app: string): void {
    this.#timers.get(app)?.cancel();
    this.#timers.delete(app);
  }

  #report(app: string): void {
    const command = `kubectl get deployments,pods -n ${NAMESPACE}`;
    this.#warn(
      `${app} has no running pod, so nothing is reconciled: ${command} (deleted manifests are restored at the next start)`,
    );
  }
}
