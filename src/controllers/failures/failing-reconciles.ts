/**
 * Reconciles that fail again and again. The loop logs each failure; an administrator sees those that matter as well:
 *
 *     failure                                            shown
 *     refused by the server: forbidden, invalid          at once: only a change by somebody helps
 *     any other, such as a conflict or a timeout         after five in a row
 *
 * as a Warning event on the object that is reconciled (`reportFailure`), and by `first`: in the ControllerConfig (`failure-status.ts`)
 * and in the ClusterOperator. The next success of the key ends it.
 */
import { errorText } from '../../base/errors.ts';
import { compareBytes } from '../../base/json.ts';
import { type Controller, KubeError } from '../../kubernetes/client/index.ts';
import type { Context } from '../context.ts';
import { WarningEvents } from '../warning-events.ts';
import { subjectOf } from './failure-subject.ts';

export type ReconcileFailure = {
  /** The name of the controller. */
  readonly controller: string;
  readonly key: string;
  /** `MachineConfigPool worker`, where the key is about one object. */
  readonly object?: string;
  /** In one line, shortened. */
  readonly error: string;
};

/** Conflicts and restarts of the server are over by then. */
const MAX_SILENT_FAILURES = 5;
const MAX_ERROR_CHARS = 1_000;
const REASON = 'ReconcileFailed';
/** `kubectl describe` looks for events about cluster-wide objects there. */
const EVENT_NAMESPACE = 'default';

/** Whether a failure is shown. `failures`: how many in a row, with this one. */
export function isShown(error: unknown, failures: number): boolean {
  if (failures >= MAX_SILENT_FAILURES) return true;
  return error instanceof KubeError && error.kind === 'stalled' && ![404, 409].includes(error.code);
}

export class FailingReconciles {
  readonly #context: Pick<Context, 'env' | 'eventsOf'>;
  readonly #component: string;
  readonly #warnings: WarningEvents;
  /** By controller and key; only those that are failing. */
  readonly #failures = new Map<string, { count: number; shown?: ReconcileFailure }>();
  readonly #listeners: (() => void)[] = [];

  constructor(context: Pick<Context, 'env' | 'eventsOf'>, component: string) {
    this.#context = context;
    this.#component = component;
    this.#warnings = new WarningEvents(context.env.clock);
  }

  /** The same controller; from now on its failures count here. */
  track(controller: Controller): Controller {
    const reconcile = async (key: string) => {
      try {
        const next = await controller.reconcile(key);
        // In the middle of work that may still fail.
        if (next.kind === 'done' || next.isUnderWay !== true) this.#succeed(controller, key);
        return next;
      } catch (error) {
        this.#fail(controller, key, error);
        throw error;
      }
    };
    return { ...controller, reconcile };
  }

  /** The first that is shown, by controller and key: one at a time suffices, and stays the same while it lasts. */
  first(): ReconcileFailure | undefined {
    const shown = [...this.#failures].filter(([, { shown: one }]) => one !== undefined);
    return shown.sort(([a], [b]) => compareBytes(a, b))[0]?.[1].shown;
  }

  /** Called when `first` may have changed. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #succeed({ name }: Controller, key: string): void {
    const id = `${name}/${key}`;
    const before = this.#failures.get(id);
    this.#failures.delete(id);
    if (before?.shown === undefined) return;
    this.#warnings.due(id, []);
    this.#notify();
  }

  #fail(controller: Controller, key: string, error: unknown): void {
    const id = `${controller.name}/${key}`;
    const { count = 0, shown } = this.#failures.get(id) ?? {};
    const failures = count + 1;
    if (shown === undefined && !isShown(error, failures)) {
      this.#failures.set(id, { count: failures });
      return;
    }
    const subject = subjectOf(controller, key);
    const next = {
      ...{ controller: controller.name, key, error: oneLine(errorText(error)) },
      ...(subject !== undefined && key.endsWith(subject.name)
        ? { object: `${subject.kind} ${subject.name}` }
        : {}),
    };
    this.#failures.set(id, { count: failures, shown: next });
    const message = `Controller ${controller.name} failed: ${next.error}`;
    const due = this.#warnings.due(id, [{ type: 'Warning', reason: REASON, message }]);
    if (subject !== undefined && due.length > 0) {
      this.#context.eventsOf(this.#component, EVENT_NAMESPACE).warning(subject, REASON, message);
    }
    if (shown?.error !== next.error) this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= MAX_ERROR_CHARS ? line : `${line.slice(0, MAX_ERROR_CHARS)}...`;
}
