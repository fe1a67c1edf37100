/** Which reconcile of the controllers keeps failing, as the condition of the ControllerConfig says: what was declared is not carried out. */
import { CONTROLLERS_FAILING, type ControllerConfig } from '../api/index.ts';
import { objectsAt, stringAt } from '../base/json-fields.ts';
import { elapsed, since } from './timestamp.ts';

/** `message`: controller, object and error of the first one. */
export type FailingControllers = { readonly message: string; readonly since?: string };

/** `undefined` where none fails. There is one ControllerConfig, or none. */
export function failingControllers(
  controllerConfigs: Iterable<ControllerConfig>,
): FailingControllers | undefined {
  const condition = [...controllerConfigs]
    .flatMap((config) => objectsAt(config, 'status', 'conditions'))
    .find((one) => one.type === CONTROLLERS_FAILING && one.status === 'True');
  if (condition === undefined) return undefined;
  return { message: stringAt(condition, 'message'), ...since(condition.lastTransitionTime) };
}

/** One line: for how long, and what fails why. */
export function failingText({ message, since: began }: FailingControllers, now: string): string {
  const duration = elapsed(began, now);
  return `the controllers have been failing${duration === undefined ? '' : ` for ${duration}`}: ${message}`;
}
