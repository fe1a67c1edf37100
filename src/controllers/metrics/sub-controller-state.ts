/** `mcc_sub_controller_state`: when a controller last completed which work on which object. */
import type { Context } from '../context.ts';
import { SUB_CONTROLLER_STATE } from './definitions.ts';

/** As upstream names what they complete. */
const STATES = {
  node: 'Sync Machine Config Pool',
  render: 'Sync Machine Config Pool with new MC',
  template: 'Sync Controller Config',
  'kubelet-config': 'Sync Kubelet Config',
  'container-runtime-config': 'Sync Container Runtime Config',
} as const;

type MeasuredContext = Pick<Context, 'metrics' | 'env'>;

/** `object`: a pool, or of the template controller a MachineConfig. */
export function noteCompleted(context: MeasuredContext, name: keyof typeof STATES, object: string): void {
  note(context, { subcontroller: name, state: STATES[name], object });
}

export function noteDrainAnswered(
  context: MeasuredContext,
  verb: 'drain' | 'uncordon',
  object: string,
): void {
  note(context, { subcontroller: 'drain', state: verb, object });
}

/** Of a node that is gone. */
export function forgetDrains(context: MeasuredContext, node: string): void {
  forget(context, 'drain', node);
}

/** Of a pool that is gone. */
export function forgetPool(context: MeasuredContext, pool: string): void {
  for (const name of ['node', 'render', 'kubelet-config', 'container-runtime-config'] as const) {
    forget(context, name, pool);
  }
}

type SubController = keyof typeof STATES | 'drain';
type State = { readonly subcontroller: SubController; readonly state: string; readonly object: string };

function note({ metrics, env }: MeasuredContext, { subcontroller, ...state }: State): void {
  const labels = { subcontroller: labelOf(subcontroller), ...state };
  metrics.gauge(SUB_CONTROLLER_STATE).set(labels, Math.floor(env.clock.now() / 1_000));
}

function forget({ metrics }: MeasuredContext, subcontroller: SubController, object: string): void {
  metrics.gauge(SUB_CONTROLLER_STATE).remove({ subcontroller: labelOf(subcontroller), object });
}

function labelOf(subcontroller: SubController): string {
  return `machine-config-controller-${subcontroller}`;
}
