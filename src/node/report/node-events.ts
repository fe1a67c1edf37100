/**
 * The events that progress events emit, with upstream's reasons and texts.
 */

import type { SetFailure } from '../pinned/index.ts';
import type { PostAction } from '../plan/index.ts';
import { reloadedService } from './condition-updates.ts';
import type { FailureEvent, ProgressEvent } from './progress-event.ts';

/** An event about the Node, of the component `machineconfigdaemon`. */
export type NodeEvent = {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
};

export const cordonedForUpdate = normal('Cordon', 'Cordoned node to apply update');
export const drainingForUpdate = normal('Drain', 'Draining node to update config.');
export const drainSkipped = normal('Drain', 'Drain not required, skipping');

export const rebootInto = (config: string) => normal('Reboot', rebootRationale(config));

/** The reason of a reboot, also for the log and the unit that reboots. */
export function rebootRationale(config: string): string {
  return `Node will reboot into config ${config}`;
}

export const unreconcilable = (error: string) => warning('FailedToReconcile', error);

export function uncordonedAndDone(node: string, config: string): readonly NodeEvent[] {
  return [
    normal('Uncordon', `Update completed for config ${config} and node has been uncordoned`),
    nodeDone(node, config),
  ];
}

export function nodeDone(node: string, config: string): NodeEvent {
  return normal('NodeDone', `Setting node ${node}, currentConfig ${config} to Done`);
}

export function postActionEvent(action: PostAction): NodeEvent | undefined {
  const text = 'Config changes do not require reboot.';
  if (action.type === 'None') return normal('SkipReboot', text);
  if (action.type === 'Restart') {
    return normal('ServiceRestart', `${text} Service ${action.service} was restarted.`);
  }
  const service = reloadedService(action);
  return service === undefined
    ? undefined
    : normal('ServiceReload', `${text} Service ${service} was reloaded.`);
}

/** The fields of the event `failed` for an action that fails. */
export function postActionFailure(
  action: PostAction,
  error: string,
): Pick<Extract<ProgressEvent, { readonly kind: 'failed' }>, 'error' | 'phase' | 'event'> {
  const phase = 'post-action';
  if (action.type === 'Restart') {
    const { service } = action;
    return {
      error: `could not apply update: restarting ${service} service failed. Error: ${error}`,
      phase,
      event: {
        reason: 'FailedServiceRestart',
        message: `Restarting ${service} service failed. Error: ${error}`,
      },
    };
  }
  const service = reloadedService(action);
  if (service === undefined) return { error, phase };
  return {
    error: `could not apply update: reloading ${service} configuration failed. Error: ${error}`,
    phase,
    event: { reason: 'FailedServiceReload', message: `Reloading service ${service} failed. Error: ${error}` },
  };
}

/** A failure without an event of upstream. */
export function updateFailed(
  error: string,
  { current, desired }: { readonly current: string; readonly desired: string },
): NodeEvent {
  const isUpdate = desired !== '' && desired !== current;
  return warning('UpdateFailed', isUpdate ? `Update to ${desired} failed: ${error}` : error);
}

/** After a failure: where its phase and what came before it are. */
export function degradedPointer(node: string): NodeEvent {
  const message = `Node ${node} is degraded: look at MachineConfigNode ${node} (kubectl describe mcn ${node})`;
  return warning('NodeDegraded', message);
}

export function failureEvent(error: string, event: FailureEvent): NodeEvent {
  return warning(event.reason, event.message ?? error);
}

/** `failure.detail`: the answer of the registry, which the status has no room for. */
export function prefetchFailed(set: string, { error, detail }: SetFailure): NodeEvent {
  const why = detail === undefined ? '' : `: ${detail}`;
  return warning('PrefetchFailed', `PinnedImageSet ${set}: ${error}${why}`);
}

export function imagesPinned(set: string, generation: number): NodeEvent {
  return normal('ImagesPinned', `All images of PinnedImageSet ${set}, generation ${generation}, are pinned`);
}

function normal(reason: string, message: string): NodeEvent {
  return { type: 'Normal', reason, message };
}

function warning(reason: string, message: string): NodeEvent {
  return { type: 'Warning', reason, message };
}
