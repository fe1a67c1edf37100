/**
 * Shows in the ControllerConfig that a reconcile of the controllers keeps failing: its condition `ControllersFailing`, by which the
 * operator, another process, knows of it too.
 */
import {
  CONTROLLER_CONFIG_NAME,
  CONTROLLERS_FAILING,
  type ControllerConfig,
  controllerConfig as controllerConfigKind,
} from '../../api/index.ts';
import { jsonEqual } from '../../base/json.ts';
import { formatTimestamp } from '../../base/text/index.ts';
import { type Controller, done } from '../../kubernetes/client/index.ts';
import type { Context } from '../context.ts';
import type { FailingReconciles, ReconcileFailure } from './failing-reconciles.ts';

const KEY = CONTROLLER_CONFIG_NAME;

type Status = NonNullable<ControllerConfig['status']>;

export function createFailureStatusController(context: Context, failing: FailingReconciles): Controller {
  const { caches, env, kube } = context;
  const controllerConfigs = caches.of(controllerConfigKind);
  return {
    name: 'failure-status',
    workers: 1,
    caches: [controllerConfigs],
    watch(enqueue) {
      failing.onChange(() => enqueue(KEY));
      controllerConfigs.onChange(() => enqueue(KEY));
    },
    async reconcile() {
      const controllerConfig = controllerConfigs.get({ name: CONTROLLER_CONFIG_NAME });
      if (controllerConfig === undefined) return done;
      const status = withFailure(controllerConfig, failing.first(), formatTimestamp(env.clock.now()));
      if (jsonEqual(status, controllerConfig.status)) return done;
      const { uid, resourceVersion } = controllerConfig.metadata;
      // With the resourceVersion: the template controller writes conditions, too.
      const body = { metadata: { uid, resourceVersion }, status };
      const place = { name: CONTROLLER_CONFIG_NAME };
      await kube.patch(controllerConfigKind, place, { type: 'merge', body }, { subresource: 'status' });
      return done;
    },
  };
}

/** The status with the condition; without a failure it is False where it was True, and absent where it never was. `now`: RFC 3339. */
export function withFailure(
  { status }: ControllerConfig,
  failure: ReconcileFailure | undefined,
  now: string,
): ControllerConfig['status'] {
  const conditions = status?.conditions ?? [];
  const before = conditions.find(({ type }) => type === CONTROLLERS_FAILING);
  if (failure === undefined && before === undefined) return status;
  const isFailing = failure === undefined ? 'False' : 'True';
  const next = {
    type: CONTROLLERS_FAILING,
    status: isFailing,
    reason: failure === undefined ? 'AsExpected' : 'ReconcileFailed',
    message: failure === undefined ? '' : failureText(failure),
    lastTransitionTime: before?.status === isFailing ? before.lastTransitionTime : now,
  } satisfies NonNullable<Status['conditions']>[number];
  return { ...status, conditions: [...conditions.filter(({ type }) => type !== CONTROLLERS_FAILING), next] };
}

/** `render MachineConfigPool worker: machineconfigs … is forbidden: …` */
export function failureText({ controller, key, object = key, error }: ReconcileFailure): string {
  return `${controller} ${object}: ${error}`;
}

/** As the ControllerConfig has it. */
export function reportedFailure(controllerConfig: ControllerConfig | undefined): string | undefined {
  const condition = controllerConfig?.status?.conditions?.find(({ type }) => type === CONTROLLERS_FAILING);
  return condition?.status === 'True' ? condition.message : undefined;
}
