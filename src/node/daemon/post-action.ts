/**
 * The actions of the node disruption policies, after the disk has changed. Except for the reboot, which ends the daemon: see
 * `decide.ts`.
 */
import { unreachable } from '../../base/errors.ts';
import type { PostAction } from '../plan/index.ts';
import type { HostContext } from './context.ts';

export async function performPostAction(
  { host, log }: HostContext,
  action: PostAction,
  config: string,
): Promise<void> {
  log.system(`Performing post config change action: ${action.type} for config ${config}`);
  switch (action.type) {
    case 'None':
      return log.system(`Node has Desired Config ${config}, skipping reboot`);
    case 'Reload':
      await host.units.reload(action.service);
      return log.system(`${action.service} service reloaded successfully!`);
    case 'Special':
      await host.units.reload('crio');
      return log.system('crio service reloaded successfully!');
    case 'DaemonReload':
      await host.units.reloadManager();
      return log.system('daemon-reload service reloaded successfully!');
    case 'Restart':
      await host.units.restart(action.service);
      return log.system(`${action.service} service restarted successfully!`);
    case 'Reboot':
    case 'Drain':
      // The drain is a step of its own, and so is the reboot.
      return;
    default:
      return unreachable(action);
  }
}
